//! Acts on what the domain decides.
