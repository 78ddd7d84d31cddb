//! What the ports of the engine meet.
