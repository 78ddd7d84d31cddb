"""Against a real server: STEERSMAN names the binary, SCRIPTS a folder with the script `demo` of these tests."""

import asyncio
import os
import unittest

import grpc

from steersman import Steersman, SteersmanError
from steersman.client import value_of


class Server:
    """The real binary on a port of its own."""

    async def __aenter__(self):
        command = [os.environ["STEERSMAN"], "serve", "--listen", "127.0.0.1:0", "--scripts", os.environ["SCRIPTS"]]
        self.process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        while not (line := (await self.process.stderr.readline()).decode()).startswith("listening on "):
            assert line, "it never listened"
        self.address = line.removeprefix("listening on ").strip()
        return self

    async def __aexit__(self, *_exc):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()


class Cutter:
    """Stands between client and server, and cuts every connection when told to."""

    def __init__(self, address):
        self.host, port = address.split(":")
        self.port, self.writers, self.connections = int(port), [], 0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.pass_through, "127.0.0.1", 0)
        self.address = "127.0.0.1:%d" % self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_exc):
        self.server.close()
        self.cut()

    async def pass_through(self, reader, writer):
        self.connections += 1
        there_reader, there_writer = await asyncio.open_connection(self.host, self.port)
        self.writers += [writer, there_writer]
        await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer))

    def cut(self):
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


class Conversations(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server = await self.enterAsyncContext(Server())
        self.steersman = await self.enterAsyncContext(Steersman(self.server.address))

    async def test_a_script_is_talked_through(self):
        async with self.steersman.start("demo", subject_id="somebody") as talk:
            self.assertTrue(talk.opening.text.endswith("What is your name?"))
            self.assertEqual(talk.opening.waits_for, "text")
            turn = await talk.say("Kim")
            self.assertIn("What would you like to learn?", turn.text)
            turn = await talk.say("pottery")
            self.assertEqual(turn.choices, {"evenings": "Evenings", "weekends": "Weekends"})
            turn = await talk.choose("weekends")
            self.assertEqual((turn.finished.status, turn.waits_for), ("completed", None))
            session = await self.steersman.session(talk.session_id)
            self.assertEqual(value_of(session.variables["session"].variables["name"].value), "Kim")

    async def test_a_cut_connection_is_mended_and_nothing_is_lost_or_twice(self):
        async with Cutter(self.server.address) as cutter, Steersman(cutter.address) as steersman:
            async with steersman.start("demo") as talk:
                seen = talk.opening.events
                for text in ["Kim", "pottery"]:
                    cutter.cut()
                    turn = await talk.say(text)
                    seen += turn.events
                self.assertGreater(cutter.connections, 1)
                self.assertEqual([event.seq for event in seen], list(range(1, talk.last_seq + 1)))
                kept = []
                async with self.steersman.resume(talk.session_id, after_seq=0) as whole:
                    kept = whole.missed
                self.assertEqual(seen, kept)

    async def test_the_same_message_again_gives_what_came_of_it(self):
        async with self.steersman.start("demo") as talk:
            first = await talk.say("Kim", message_id="m1")
            again = await talk.say("Kim", message_id="m1")
            self.assertEqual(again.finished, first.finished)
            with self.assertRaises(SteersmanError) as refused:
                await talk.say("Not Kim", message_id="m1")
            self.assertEqual(refused.exception.reason, "IDEMPOTENCY_KEY_REUSED")

    async def test_whoever_comes_back_gets_what_was_missed(self):
        async with self.steersman.start("demo") as talk:
            turn = await talk.say("Kim")
        after = talk.opening.finished.last_seq
        async with self.steersman.resume(talk.session_id, after_seq=after) as back:
            self.assertEqual(back.missed, turn.events)
            self.assertEqual(back.session.position, turn.finished.position)
            await back.say("pottery")

    async def test_a_refusal_says_why_and_the_conversation_goes_on(self):
        async with self.steersman.start("demo") as talk:
            with self.assertRaises(SteersmanError) as refused:
                await talk.choose("weekends")
            self.assertEqual(refused.exception.reason, "NOT_WAITING")
            await talk.say("Kim")
        with self.assertRaises(SteersmanError) as refused:
            async with self.steersman.start("demo", variables={"nmae": "Kim"}):
                pass
        self.assertEqual(list(refused.exception.violations), ["start.variables.nmae"])
        with self.assertRaises(SteersmanError) as refused:
            await self.steersman.session("nobody")
        self.assertEqual(refused.exception.code, grpc.StatusCode.NOT_FOUND)

    async def test_a_conversation_that_was_replaced_is_not_mended(self):
        async with self.steersman.start("demo") as older:
            async with self.steersman.resume(older.session_id):
                # grpcio calls a stream that ends in the very moment of a write a broken connection, which is mended.
                await older._call.code()
                with self.assertRaises(SteersmanError) as replaced:
                    await older.say("Kim")
                self.assertEqual(replaced.exception.reason, "SUPERSEDED")

    async def test_a_server_that_is_gone_is_told_when_patience_is_over(self):
        async with self.steersman.start("demo", patience=0.5) as talk:
            self.server.process.kill()
            with self.assertRaises(SteersmanError) as gone:
                await talk.say("Kim")
            self.assertTrue(gone.exception.is_lost_connection)

    async def test_a_decision_is_json(self):
        answer = await self.steersman.decide("temperature", '{"base": 1, "rigid_score": 0.15}')
        self.assertIn("temperature", answer)


if __name__ == "__main__":
    unittest.main()
