"""Has the conversation of a script in the terminal, over the wire: example.py SCRIPT_ID [ADDRESS]."""

import asyncio
import sys

from steersman import Steersman, SteersmanError


async def main(script_id: str, address: str = "127.0.0.1:7443") -> None:
    async with Steersman(address) as steersman:
        async with steersman.start(script_id) as talk:
            turn = talk.opening
            while True:
                print(turn.text)
                for key, text in turn.choices.items():
                    print(f"  [{key}] {text}")
                if turn.waits_for is None:
                    return
                try:
                    line = await asyncio.to_thread(input, "> ")
                except EOFError:
                    return
                try:
                    if turn.waits_for == "choice" and line in turn.choices:
                        turn = await talk.choose(line)
                    elif turn.waits_for == "ack" and not line:
                        turn = await talk.acknowledge()
                    else:
                        turn = await talk.say(line)
                except SteersmanError as error:
                    print(f"not taken: {error}")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
