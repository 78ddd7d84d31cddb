//! How messages of the wire show themselves: never with what they hold.

/// Shows each message by its name and size.
macro_rules! by_size {
    ($($message:ident,)*) => {$(
        impl ::core::fmt::Debug for $message {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let bytes = ::prost::Message::encoded_len(self);
                write!(f, concat!(stringify!($message), "({} bytes)"), bytes)
            }
        }
    )*};
}

/// Shows each choice by its name.
macro_rules! by_name {
    ($($module:ident::$choice:ident,)*) => {$(
        impl ::core::fmt::Debug for $module::$choice {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(concat!(stringify!($module), "::", stringify!($choice)))
            }
        }
    )*};
}

pub(crate) use {by_name, by_size};
