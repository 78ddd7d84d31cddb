//! Who asks. Until access control lands there is one caller: the local one, who may do everything.

use std::fmt;

/// Who asks, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Whose sessions they may see.
    pub tenant: TenantId,
    /// What they may do.
    pub rights: Rights,
}

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Operate the engine and decide as a clinician.
    OperatorAndClinician,
}

/// Names whose sessions they are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(String);

impl Principal {
    /// The caller on this machine.
    pub fn local() -> Self {
        Self { tenant: TenantId("local".to_owned()), rights: Rights::OperatorAndClinician }
    }
}

impl TenantId {
    /// Takes any name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
