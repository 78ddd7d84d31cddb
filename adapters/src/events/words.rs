//! Reads the words of a closed list off the type that has them.

use std::fmt;

use serde::{
    de::{DeserializeOwned, Deserializer, Error, Visitor},
    forward_to_deserialize_any,
};

/// Returns the words that a type without fields in its variants is written with; none for any other type.
pub(super) fn words<T: DeserializeOwned>() -> &'static [&'static str] {
    match T::deserialize(Asked) {
        Err(Told(words)) => words,
        Ok(_) => &[],
    }
}

/// Answers nothing, and remembers which words it was asked for.
struct Asked;

/// The words, told as the error that ends the reading.
#[derive(Debug)]
struct Told(&'static [&'static str]);

impl<'de> Deserializer<'de> for Asked {
    type Error = Told;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        Err(Told(variants))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.0.len())
    }
}

impl std::error::Error for Told {}

impl Error for Told {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}
