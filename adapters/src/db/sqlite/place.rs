//! Where a store's file is, who may have it, and everything that can be wrong with it before it is opened.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use crate::db::fault::Fault;

/// Whether a file that is not there is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// It is.
    IfMissing,
    /// It must be there.
    Never,
}

/// Why a store was not opened. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("there is no database {}; `play --db` and `serve` make one", .0.display())]
    Missing(PathBuf),
    /// There is no folder for the file.
    #[error("there is no folder for the database {}; make it first", .0.display())]
    NoFolder(PathBuf),
    /// It is a folder.
    #[error("the database {} is a folder; name a file", .0.display())]
    Folder(PathBuf),
    /// It may not be written.
    #[error("the database {} is read-only; let this user write the file and its folder", .0.display())]
    ReadOnly(PathBuf),
    /// Another process has it.
    #[error("the database {} is in use by another process; stop that one, or use another file", .0.display())]
    Locked(PathBuf),
    /// It is something else.
    #[error("the file {} is not a database of Steersman; name another file", .0.display())]
    Foreign(PathBuf),
    /// A newer build has made it.
    #[error(
        "the database {} has schema {found}; this build knows schemas up to {known}: use a newer build, or another file",
        .file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest that this build knows.
        known: u32,
    },
    /// An older build has made it, and it was to be read only.
    #[error(
        "the database {} has schema {found}; this build reads schema {known}: `play --db` or `serve` brings it up to date",
        .file.display()
    )]
    Older {
        /// The file.
        file: PathBuf,
        /// Its schema.
        found: u32,
        /// The one that this build reads.
        known: u32,
    },
    /// The machine did not do it.
    #[error("cannot open the database {}: {fault}", .file.display())]
    Failed {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        fault: Fault,
    },
}

/// The file of a store.
#[derive(Debug, Clone)]
pub(super) struct Place {
    file: PathBuf,
}

impl Place {
    /// Finds the file, whichever of its names is given, so that one file has one lock.
    pub(super) fn of(given: &Path) -> Result<Self, OpenError> {
        if given.is_dir() {
            return Err(OpenError::Folder(given.to_owned()));
        }
        let file = match fs::canonicalize(given) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = given.file_name().ok_or_else(|| OpenError::Folder(given.to_owned()))?;
                let folder = match given.parent() {
                    Some(folder) if !folder.as_os_str().is_empty() => folder,
                    Some(_) | None => Path::new("."),
                };
                fs::canonicalize(folder).map_err(|_| OpenError::NoFolder(given.to_owned()))?.join(name)
            }
            Err(error) => return Err(failed(given, &error)),
        };
        Ok(Self { file })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn exists(&self) -> bool {
        self.file.exists()
    }

    /// Tells whether a writer has the file, or left it without tidying up: what it has committed may be in the log.
    pub(super) fn has_log(&self) -> bool {
        self.beside("-wal").exists()
    }

    /// Takes the file for this process. The kernel gives it back when the returned file is closed, however that happens.
    pub(super) fn lock(&self, creation: Creation) -> Result<File, OpenError> {
        match fs::metadata(&self.file) {
            Ok(found) if found.permissions().readonly() => return Err(OpenError::ReadOnly(self.file.clone())),
            Ok(_) => {}
            Err(_) if creation == Creation::Never => return Err(OpenError::Missing(self.file.clone())),
            Err(_) => {}
        }
        let lock = File::options().create(true).truncate(false).write(true).open(self.beside(".lock"));
        let lock = lock.map_err(|error| failed(&self.file, &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(OpenError::Locked(self.file.clone())),
            Err(TryLockError::Error(error)) => Err(failed(&self.file, &error)),
        }
    }

    pub(super) fn fault(&self, fault: Fault) -> OpenError {
        let file = self.file.clone();
        match fault {
            Fault::NotADatabase => OpenError::Foreign(file),
            Fault::ReadOnly => OpenError::ReadOnly(file),
            fault => OpenError::Failed { file, fault },
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(ending);
        name.into()
    }
}

fn failed(file: &Path, error: &io::Error) -> OpenError {
    let file = file.to_owned();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => OpenError::ReadOnly(file),
        io::ErrorKind::StorageFull => OpenError::Failed { file, fault: Fault::Full },
        _ => OpenError::Failed { file, fault: Fault::Disk },
    }
}
