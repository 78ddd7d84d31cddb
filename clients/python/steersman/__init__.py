"""Talks to a Steersman server.

    async with Steersman("127.0.0.1:7443") as steersman:
        async with steersman.start("onboarding") as talk:
            print(talk.opening.text)
            turn = await talk.say("Kim")
            print(turn.text)
"""

from .client import Steersman
from .conversation import Conversation, Turn
from .errors import SteersmanError

__all__ = ["Conversation", "Steersman", "SteersmanError", "Turn"]
