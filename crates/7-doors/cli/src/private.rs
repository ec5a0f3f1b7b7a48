//! What is nobody else's business: a folder that no other user can look into, whose name nobody can
//! foresee; files that are written without following links; the user's own secret.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The folder; it is removed with what is in it when this is dropped.
pub(crate) struct Private(PathBuf);

impl Private {
    /// Makes one among the temporary files. What is there already, a link included, is never used:
    /// the folder is made or it is an error.
    pub(crate) fn new() -> io::Result<Private> {
        let parent = std::path::absolute(std::env::temp_dir())?;
        let builder = own_folders();
        // That one of these names is taken is not to be expected even once.
        for _ in 0..8 {
            let path = parent.join(format!("bop-{}", unforeseen()?));
            match builder.create(&path) {
                Ok(()) => return Ok(Private(path)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A word of 32 digits from the system's source of randomness.
pub(crate) fn unforeseen() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Writes a file in the place of whatever has its name. A link there is replaced, not followed: it
/// may be a stranger's, and lead to a file of the user's. Devices and pipes are written to.
pub(crate) fn write_in_place(name: &str, text: &str) -> io::Result<()> {
    let path = Path::new(name);
    if fs::symlink_metadata(path).is_ok_and(|data| !data.is_file() && !data.is_symlink()) {
        return crate::io::created(name)?.write_all(text.as_bytes());
    }
    let beside = path.with_file_name(format!(".bop-{}", unforeseen()?));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes folders that only the user can look into.
fn own_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder
}

/// Whether a file can be read or written by other users.
pub(crate) fn is_open(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    false
}

/// The user's own secret, by which processes on one machine know each other: it is made when it is
/// first asked for, in a file that nobody else can read.
pub(crate) fn own_secret() -> Result<Vec<u8>, String> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let folder = state.or_else(home).filter(|p| p.is_absolute());
    let folder = folder.ok_or("there is no HOME to keep one in")?.join("bop");
    let path = folder.join("secret");
    let shown = path.display().to_string();
    let kept = || -> io::Result<Vec<u8>> {
        match fs::symlink_metadata(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => make_secret(&folder, &path)?,
            Err(e) => return Err(e),
            Ok(_) => {}
        }
        if !fs::symlink_metadata(&path)?.is_file() || is_open(&path) {
            return Err(io::Error::other("it is a link, or others can read it"));
        }
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(4096).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    kept().map_err(|e| format!("`{}` cannot be used: {e}", source::one_line(&shown)))
}

/// Of several processes that do this at once, one wins.
fn make_secret(folder: &Path, path: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        own_folders().recursive(true).create(folder)?;
    }
    let beside = folder.join(format!(".{}", unforeseen()?));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let text = unforeseen()? + &unforeseen()? + "\n";
    let made = options.open(&beside).and_then(|mut file| file.write_all(text.as_bytes()));
    // A link with a name that is taken is an error: then there is a secret, and it is complete.
    let linked = made.and_then(|()| fs::hard_link(&beside, path));
    let _ = fs::remove_file(&beside);
    match linked {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
        _ => Ok(()),
    }
}
