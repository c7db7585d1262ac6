//! A container in memory that is read in ranges.

use hrry::ReadAt;

/// A source that fails where it must not be asked.
pub struct Card<'a>(pub &'a [u8]);

impl ReadAt for Card<'_> {
    type Error = ();

    fn len(&mut self) -> Result<u64, ()> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ()> {
        let start = usize::try_from(offset).map_err(|_| ())?;
        let behind = self.0.get(start..).ok_or(())?;
        into.copy_from_slice(behind.get(..into.len()).ok_or(())?);
        Ok(())
    }
}
