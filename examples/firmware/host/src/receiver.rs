//! Sends the receiver good and damaged streams, and compares its verdicts with those of the decoder here.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use hrry::{Event, Report, ResyncEvent, Rule};
use hrry_firmware_link::verdict::{Line, SEARCHED, Verdict, line};

use crate::board::Board;
use crate::{Result, damage};

pub fn run(machine: &str, image: &str) -> Result<()> {
    let board = Board::start(machine, image)?;
    let mut talk = Talk {
        line: &board.line,
        here: line(),
        sent: 0,
        verdicts: 0,
    };
    let mut cases = 0;
    for (name, bytes) in damage::streams()
        .chain(damage::bytes())
        .chain(damage::noise())
    {
        talk.case(&bytes)
            .map_err(|error| format!("{name}: {error}"))?;
        cases += 1;
    }
    talk.silence()?;
    let (sent, verdicts) = (talk.sent, talk.verdicts);
    talk.deluge()?;
    eprintln!("receiver on {machine}: {cases} streams of {sent} bytes, {verdicts} equal verdicts");
    Ok(())
}

/// The line to the receiver, and what the receiver should know.
struct Talk<'b> {
    line: &'b UnixStream,
    here: Line,
    sent: u64,
    verdicts: u32,
}

impl Talk<'_> {
    /// A stream, and behind it tensors of which the last must be accepted.
    fn case(&mut self, bytes: &[u8]) -> Result<()> {
        let mut bytes = bytes.to_vec();
        bytes.extend(damage::recovery());
        let last = self.send(&bytes)?;
        let recovered = matches!(last, Some(Verdict::Whole { end, .. }) if end == self.sent);
        match recovered {
            true => Ok(()),
            false => Err(format!("no recovery: {last:?} at {}", self.sent).into()),
        }
    }

    /// The line breaks inside a tensor, and the receiver notices by itself.
    fn silence(&mut self) -> Result<()> {
        self.send(&damage::recovery()[..60])?;
        let error = self.here.finish().expect_err("a cut tensor");
        self.here.reset();
        self.compare(error.into())?;
        self.case(&[])
    }

    /// Noise that is longer than what the receiver searches. How much of it stands behind its position when it
    /// starts anew depends on how the bytes arrived, so only the ends are compared.
    fn deluge(&mut self) -> Result<()> {
        let noise = vec![0x55; SEARCHED as usize + 500];
        let start = self.sent;
        self.line.write_all(&noise)?;
        let Verdict::Reset(Report { rule, offset, .. }) = self.receive()? else {
            return Err("no reset in noise".into());
        };
        if rule != Some(Rule::Magic.number()) || offset != start {
            return Err(format!("a reset for {rule:?} at {offset}, not at {start}").into());
        }
        let recovery = damage::recovery();
        self.line.write_all(&recovery)?;
        let end = start + (noise.len() + recovery.len()) as u64;
        loop {
            match self.receive()? {
                Verdict::Whole { end: at, .. } if at == end => return Ok(()),
                Verdict::Whole { end: at, .. } if at > end => {
                    return Err(format!("accepted to {at}, sent to {end}").into());
                }
                _ => {}
            }
        }
    }

    /// Sends bytes and compares all verdicts on them; returns the last one.
    fn send(&mut self, bytes: &[u8]) -> Result<Option<Verdict>> {
        self.line.write_all(bytes)?;
        self.sent += bytes.len() as u64;
        let mut rest = bytes;
        let mut last = None;
        loop {
            let verdict = match self.here.next_event(&mut rest)? {
                None => return Ok(last),
                Some(ResyncEvent::Lost(lost)) => lost.into(),
                Some(ResyncEvent::Stream(Event::TensorEnd(outcome))) => {
                    Verdict::of_end(self.here.offset(), outcome)
                }
                Some(_) => continue,
            };
            self.compare(verdict)?;
            last = Some(verdict);
        }
    }

    fn compare(&mut self, expected: Verdict) -> Result<()> {
        let verdict = self.receive()?;
        self.verdicts += 1;
        match verdict == expected {
            true => Ok(()),
            false => Err(format!("the receiver says {verdict:?}, not {expected:?}").into()),
        }
    }

    /// The next verdict: a length, then postcard.
    fn receive(&mut self) -> Result<Verdict> {
        let mut len = [0];
        self.line.read_exact(&mut len)?;
        let mut bytes = vec![0; len[0].into()];
        self.line.read_exact(&mut bytes)?;
        let (verdict, rest) = postcard::take_from_bytes(&bytes)?;
        match rest.len() {
            0 => Ok(verdict),
            more => Err(format!("{more} bytes behind a verdict").into()),
        }
    }
}
