use std::{
    fmt,
    os::fd::{AsFd, BorrowedFd},
    path::Path,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, SeekFrom, open, seek},
    io::{Errno, pread, read, retry_on_intr},
};

use crate::{SecretBuilder, SecretBytes};

/// Most token and certificate files are shorter.
const FIRST_BYTES: usize = 1024;
const PIPE_PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };

/// Why a file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The system call that failed.
    pub syscall: &'static str,
    /// errno(3) as it left it.
    pub errno: i32,
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.syscall, Errno::from_raw_os_error(self.errno))
    }
}

impl std::error::Error for ReadError {}

impl SecretBytes {
    /// Reads a whole file, also one of /proc that does not know its size, or a pipe. A named pipe
    /// without a writer is empty. It waits ten seconds for a silent writer.
    ///
    /// # Errors
    /// Those of the system; `EFBIG` if the file is longer than `limit` bytes, `ETIMEDOUT` for a
    /// silent pipe.
    pub fn read(path: &Path, limit: usize) -> Result<Self, ReadError> {
        // Without O_NONBLOCK a named pipe would make its opener wait for a writer.
        let flags = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = retry_on_intr(|| open(path, flags, Mode::empty())).map_err(failed("open"))?;
        read_to_end(file.as_fd(), limit, &PIPE_PATIENCE)
    }

    /// Reads an open pipe or socket to its end. A peer that is silent is waited for ten seconds.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_descriptor(fd: BorrowedFd<'_>, limit: usize) -> Result<Self, ReadError> {
        read_to_end(fd, limit, &PIPE_PATIENCE)
    }
}

fn read_to_end(
    file: BorrowedFd<'_>,
    limit: usize,
    patience: &Timespec,
) -> Result<SecretBytes, ReadError> {
    let is_seekable = seek(file, SeekFrom::Current(0)).is_ok();
    let mut builder = SecretBuilder::with_capacity(FIRST_BYTES);
    loop {
        let position = builder.len() as u64;
        let room = builder.spare(1);
        let count = if is_seekable {
            retry_on_intr(|| pread(file, &mut *room, position)).map_err(failed("pread"))?
        } else {
            read_pipe(file, room, patience)?
        };
        if count == 0 {
            return Ok(builder.finish());
        }
        builder.advance(count);
        if builder.len() > limit {
            return Err(failed("read")(Errno::FBIG));
        }
    }
}

/// A pipe or a socket has no positions.
fn read_pipe(
    file: BorrowedFd<'_>,
    room: &mut [u8],
    patience: &Timespec,
) -> Result<usize, ReadError> {
    loop {
        match retry_on_intr(|| read(file, &mut *room)) {
            Ok(count) => return Ok(count),
            Err(Errno::AGAIN) => {
                let mut waited = [PollFd::from_borrowed_fd(file, PollFlags::IN)];
                let ready = retry_on_intr(|| poll(&mut waited, Some(patience)));
                if ready.map_err(failed("poll"))? == 0 {
                    return Err(failed("read")(Errno::TIMEDOUT));
                }
            }
            Err(errno) => return Err(failed("read")(errno)),
        }
    }
}

fn failed(syscall: &'static str) -> impl Fn(Errno) -> ReadError {
    move |errno| ReadError { syscall, errno: errno.raw_os_error() }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use rustix::{
        fs::{CWD, FileType, mknodat},
        pipe::{PipeFlags, pipe_with},
    };

    use super::*;

    #[test]
    fn reads_files_to_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        for (size, limit, expected) in
            [(0, 0, true), (1, 0, false), (9000, 9000, true), (9000, 8999, false)]
        {
            let path = directory.path().join("file");
            fs::write(&path, vec![b'x'; size]).unwrap();
            match SecretBytes::read(&path, limit) {
                Ok(bytes) => assert!(expected && bytes.expose() == vec![b'x'; size]),
                Err(error) => {
                    assert!(!expected, "{size} of {limit}: {error}");
                    assert_eq!(error.errno, Errno::FBIG.raw_os_error());
                }
            }
        }
    }

    #[test]
    fn reads_a_file_that_does_not_know_its_size() {
        let status = SecretBytes::read(Path::new("/proc/self/status"), 1 << 20).unwrap();
        assert!(status.starts_with("Name:"));
    }

    #[test]
    fn says_which_call_failed() {
        let directory = tempfile::tempdir().unwrap();
        let read = |path: &Path| SecretBytes::read(path, 10).unwrap_err();
        let absent = read(&directory.path().join("absent"));
        assert_eq!(absent, ReadError { syscall: "open", errno: Errno::NOENT.raw_os_error() });
        assert_eq!(absent.to_string(), "open: No such file or directory (os error 2)");
        assert_eq!(read(directory.path()).errno, Errno::ISDIR.raw_os_error());
    }

    #[test]
    fn a_named_pipe_without_a_writer_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::from(0o600), 0).unwrap();
        assert!(SecretBytes::read(&path, 10).unwrap().is_empty());
    }

    #[test]
    fn waits_for_the_writer_of_a_pipe() {
        let (reader, writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let writing = std::thread::spawn(move || {
            let mut writer = fs::File::from(writer);
            for part in ["first ", "second"] {
                std::thread::sleep(std::time::Duration::from_millis(20));
                writer.write_all(part.as_bytes()).unwrap();
            }
        });
        let bytes = read_to_end(reader.as_fd(), 100, &PIPE_PATIENCE).unwrap();
        writing.join().unwrap();
        assert!(bytes.equals("first second"));
    }

    #[test]
    fn a_silent_pipe_is_waited_for_so_long() {
        let (reader, _writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        let patience = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
        let error = read_to_end(reader.as_fd(), 100, &patience).unwrap_err();
        assert_eq!(error.errno, Errno::TIMEDOUT.raw_os_error());
    }
}
