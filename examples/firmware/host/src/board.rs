//! An emulated board, and the line to its UART.

use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Result;

/// A running emulator; ends with this value.
pub struct Board {
    emulator: Child,
    socket: PathBuf,
    pub line: UnixStream,
}

/// What a machine under load may take for anything; nothing is concluded from less.
pub const PATIENCE: Duration = Duration::from_secs(40);

impl Board {
    /// Starts an image on a machine.
    pub fn start(machine: &str, image: &str) -> Result<Self> {
        let socket = std::env::temp_dir().join(format!("hrry-uart-{}", std::process::id()));
        // of a run with this number that was killed
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        let serial = format!("unix:{},server=off", socket.display());
        let emulator = Command::new("qemu-system-arm")
            .args(["-machine", machine, "-nographic", "-monitor", "none"])
            .args(["-serial", &serial])
            .args(["-semihosting-config", "enable=on,target=native"])
            .args(["-kernel", image])
            .stdin(Stdio::null())
            .spawn();
        let mut emulator = emulator.inspect_err(|_| drop(std::fs::remove_file(&socket)))?;
        match connect(&listener, &mut emulator) {
            Ok(line) => Ok(Board {
                emulator,
                socket,
                line,
            }),
            Err(error) => {
                // it may have ended by itself
                let _ = emulator.kill();
                let _ = std::fs::remove_file(&socket);
                Err(error)
            }
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Waits for the emulator to call.
fn connect(listener: &UnixListener, emulator: &mut Child) -> Result<UnixStream> {
    listener.set_nonblocking(true)?;
    let began = Instant::now();
    loop {
        match listener.accept() {
            Ok((line, _)) => {
                line.set_nonblocking(false)?;
                line.set_read_timeout(Some(PATIENCE))?;
                line.set_write_timeout(Some(PATIENCE))?;
                return Ok(line);
            }
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error.into()),
            Err(_) => {}
        }
        if let Some(status) = emulator.try_wait()? {
            return Err(format!("the emulator ended: {status}").into());
        }
        if began.elapsed() > PATIENCE {
            return Err("the emulator does not connect".into());
        }
        sleep(Duration::from_millis(5));
    }
}
