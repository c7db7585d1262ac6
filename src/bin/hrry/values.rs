//! `hrry values`: the numbers of one item.

use std::io::{self, Write};

use hrry::owned::{Error, Item};
use hrry::{AddressError, ElementType, Fields, Scheme, SubBox, U64s, Value, ValueError, element};

use super::args::{Part, Values};
use super::find::find;
use super::number::Number;
use super::plain::Plain;
use super::read::Stop;
use super::shape::Word;
use super::{Status, complain, json, tell};

/// Prints the logical values of an item, last dimension fastest, whatever its layout.
pub fn run(values: &Values, out: &mut dyn Write) -> io::Result<Status> {
    let item = match find(values) {
        Ok(item) => item,
        Err(Stop::Problem(problem)) => return Ok(tell(&values.file, &problem)),
        Err(Stop::Output(error)) => return Err(error),
    };
    let part = match &values.part {
        Some(Part { offset, shape }) => SubBox {
            offset: U64s::from(&offset[..]),
            shape: U64s::from(&shape[..]),
        },
        None => SubBox::whole(item.descriptor().shape()),
    };
    if let Some(count) = part.elements().filter(|count| *count > MOST) {
        let item = Plain::new(&values.item);
        let advice = "take a part of it with --box";
        complain(&format!(
            "hrry: {item}: {count} elements are more than {MOST}; {advice}"
        ));
        return Ok(Status::Error);
    }
    let checked = item.check_content(&values.reading.policy());
    let elements = checked.and_then(|()| Elements::read(&item, values.stored, part));
    let elements = match elements {
        Ok(elements) => elements,
        Err(error) => {
            let asked = if is_misfit(&error) { "--box: " } else { "" };
            complain(&format!(
                "hrry: {}: {asked}{error}",
                Plain::new(&values.item)
            ));
            return Ok(match error {
                Error::Memory(_) => Status::Error,
                _ if is_misfit(&error) => Status::Error,
                _ => Status::Refused,
            });
        }
    };
    if values.json {
        elements.json(out)?;
    } else {
        elements.text(out)?;
    }
    Ok(Status::Accepted)
}

/// Whether a box does not fit the shape, as that of a whole item always does.
const fn is_misfit(error: &Error) -> bool {
    use AddressError::{OutOfRange, Rank};
    matches!(
        error,
        Error::Values(ValueError::Address(Rank { .. } | OutOfRange { .. }))
    )
}

/// Elements that are printed at once: they are all in memory, and a few bytes may announce any number.
const MOST: u64 = 1 << 26;

/// Packed elements of a box.
struct Elements {
    shape: Vec<u64>,
    element_type: ElementType,
    /// What quantized numbers are stored as.
    stored: Option<(ElementType, Scheme)>,
    packed: Vec<u8>,
    count: u64,
}

impl Elements {
    fn read(item: &Item, stored: bool, part: SubBox<'_>) -> Result<Elements, Error> {
        let d = item.descriptor();
        let scheme = d.quantization().map(|q| q.scheme()).filter(|_| !stored);
        let (element_type, packed, scheme) = match (item, scheme) {
            (Item::Composite(composite), _) => {
                (d.element_type(), composite.read_packed(part)?, None)
            }
            (Item::Tensor(tensor), None) => (d.element_type(), tensor.read_stored(part)?, None),
            (Item::Tensor(tensor), scheme) => {
                let numbers: Vec<f32> = tensor.read_box(part)?;
                let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
                (ElementType::Float32, bytes, scheme)
            }
        };
        let elements = Elements {
            shape: part.shape.iter().collect(),
            element_type,
            stored: scheme.map(|scheme| (d.element_type(), scheme)),
            packed,
            count: part.elements().unwrap_or(0),
        };
        elements.check()?;
        Ok(elements)
    }

    /// Requires every element to be a number.
    fn check(&self) -> Result<(), Error> {
        if let Some(index) = (0..self.count).position(|k| self.value(k).is_none()) {
            let error = match self.element_type.is_assigned() {
                true => hrry::ElementError::NoSuchValue { index },
                false => hrry::ElementError::NoNumbers(self.element_type),
            };
            return Err(ValueError::from(error).into());
        }
        Ok(())
    }

    fn bits(&self, k: u64) -> u128 {
        element::bits(self.element_type, &self.packed, k).unwrap_or(0)
    }

    fn value(&self, k: u64) -> Option<Value> {
        element::value(self.element_type, self.bits(k))
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"shape\":")?;
        json::write(out, &self.shape)?;
        write!(out, ",\"element_type\":")?;
        json::write(out, &self.element_type.name())?;
        write!(out, ",\"values\":[")?;
        for k in 0..self.count {
            if k > 0 {
                write!(out, ",")?;
            }
            json::write(out, &self.value(k).map(Number))?;
        }
        write!(out, "],\"bits\":[")?;
        let digits = self.element_type.bits().div_ceil(4) as usize;
        for k in 0..self.count {
            let comma = if k > 0 { "," } else { "" };
            write!(
                out,
                "{comma}\"{:#0width$x}\"",
                self.bits(k),
                width = digits + 2
            )?;
        }
        writeln!(out, "]}}")
    }

    /// A line for each row, an empty one between planes.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = self.element_type.name().unwrap_or("private");
        write!(out, "{name} {:?}", self.shape)?;
        if let Some((stored, scheme)) = self.stored {
            write!(
                out,
                ", dequantized from {} {}",
                stored.text(),
                scheme.text()
            )?;
        }
        writeln!(out)?;
        let row = self.shape.last().copied().unwrap_or(1).max(1);
        let plane = self.shape.iter().rev().nth(1).copied().unwrap_or(1).max(1);
        for k in 0..self.count {
            let end = (k + 1) % row == 0;
            if k > 0 && k % row == 0 && self.shape.len() > 2 && (k / row) % plane == 0 {
                writeln!(out)?;
            }
            if let Some(value) = self.value(k) {
                json::write(out, &Number(value))?;
            }
            write!(out, "{}", if end { "\n" } else { " " })?;
        }
        Ok(())
    }
}
