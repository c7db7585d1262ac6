//! Whole containers through the reference, in memory.

use std::io::Cursor;

use hurray_core::descriptor::TensorDescriptor;
use hurray_core::layout::LayoutDescriptor;
use hurray_io::Error;
use hurray_io::file::{
    FileComposite, FileCompositeNode, FileItem, FileReader, FileTensor, FileWriter,
    FileWriterOptions, IndexEntry, KvValue,
};

use super::container::{Container, Place};
use super::kv::{Pairs, Value};
use crate::streams::ready;
use crate::tree::Tree;

/// A container as the reference read it.
#[derive(Debug)]
pub struct There {
    /// In the order of the index, with the places that stand there.
    pub tensors: Vec<(Tensor, Place)>,
    /// All composites, inner ones too, in the order of the file; each flat, with the number of its
    /// composites around each part.
    pub composites: Vec<Vec<(u8, Tensor)>>,
    pub kv: Pairs,
}

/// A tensor, or a head.
#[derive(Debug)]
pub struct Tensor {
    pub name: String,
    pub descriptor: TensorDescriptor,
    pub buffers: Vec<Vec<u8>>,
}

/// Reads every tensor by its name, and every composite by that of its head.
pub fn they_read(bytes: &[u8]) -> Result<There, Error> {
    let mut reader = ready(FileReader::open(Cursor::new(bytes)))?;
    let kv = reader.kv().iter();
    let kv = kv.map(|(key, value)| (key.clone(), Value::read_there(value)));
    let kv = kv.collect();
    let names: Vec<String> = reader.tensor_names().map(str::to_owned).collect();
    let mut tensors = Vec::new();
    for (k, name) in names.iter().enumerate() {
        let tensor = Tensor::from(ready(reader.read_tensor(name))?);
        let alone = ready(reader.read_descriptor(name))?;
        assert_eq!(alone.encode()?, tensor.descriptor.encode()?);
        let place = place(&reader.index[k], tensor.buffers.is_empty());
        tensors.push((tensor, place));
    }
    let heads = tensors.iter().filter(|(tensor, _)| {
        let layout = &tensor.descriptor.layout;
        matches!(layout, LayoutDescriptor::Composite(_))
    });
    let mut heads: Vec<&(Tensor, Place)> = heads.collect();
    heads.sort_by_key(|(_, place)| place.descriptor_offset);
    let mut composites = Vec::new();
    for (head, _) in heads {
        let mut parts = Vec::new();
        flat(ready(reader.read_composite(&head.name))?, 0, &mut parts);
        composites.push(parts);
    }
    Ok(There {
        tensors,
        composites,
        kv,
    })
}

impl From<FileTensor> for Tensor {
    fn from(tensor: FileTensor) -> Self {
        Tensor {
            name: tensor.name,
            descriptor: tensor.descriptor,
            buffers: tensor.buffers.iter().map(|bytes| bytes.to_vec()).collect(),
        }
    }
}

fn place(entry: &IndexEntry, is_head: bool) -> Place {
    Place {
        descriptor_offset: entry.descriptor_offset,
        descriptor_length: entry.descriptor_length.into(),
        data_offset: (!is_head).then_some(entry.data_offset),
        data_length: entry.data_length,
    }
}

fn flat(composite: FileComposite, level: u8, out: &mut Vec<(u8, Tensor)>) {
    let head = Tensor {
        name: composite.name,
        descriptor: composite.head,
        buffers: vec![],
    };
    out.push((level, head));
    for member in composite.members {
        match member {
            FileItem::Tensor(tensor) => out.push((level + 1, tensor.into())),
            FileItem::Composite(inner) => flat(inner, level + 1, out),
        }
    }
}

/// Writes a container with the reference.
pub fn they_write(container: &Container) -> Result<Vec<u8>, String> {
    let kv = container.kv.iter();
    let kv = kv.map(|(key, value)| (key.clone(), value.theirs()));
    they_write_with(container, kv.collect())
}

/// The same with other keys.
pub fn they_write_with(
    container: &Container,
    kv: Vec<(String, KvValue)>,
) -> Result<Vec<u8>, String> {
    let options = FileWriterOptions {
        data_buffer_alignment: container.alignment,
        sorted_index: container.sorted,
    };
    let writer = ready(FileWriter::with_options(Vec::new(), options));
    let mut writer = writer.map_err(|error| format!("they start: {error:?}"))?;
    let mut names = container.names.iter().map(String::as_str);
    for item in &container.items {
        let node = node(item, &mut names).map_err(|error| format!("they build: {error:?}"))?;
        let written = match node {
            FileCompositeNode::Tensor {
                name,
                descriptor,
                buffers,
            } => ready(writer.write_tensor(name, descriptor, buffers)),
            FileCompositeNode::Composite {
                name,
                head,
                members,
            } => ready(writer.write_composite(name, head, members)),
        };
        written.map_err(|error| format!("they write: {error:?}"))?;
    }
    ready(writer.finish(kv)).map_err(|error| format!("they finish: {error:?}"))
}

/// The tree that the reference takes borrows everything; what it borrows is small and leaked.
fn node<'a>(
    tree: &'a Tree,
    names: &mut impl Iterator<Item = &'a str>,
) -> Result<FileCompositeNode<'a>, hurray_core::Error> {
    let name = names.next().expect("a name for each part");
    Ok(match tree {
        Tree::Tensor { plan, buffers } => {
            let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
            FileCompositeNode::Tensor {
                name,
                descriptor: Box::leak(Box::new(plan.reference()?)),
                buffers: slices.leak(),
            }
        }
        Tree::Composite { head, members } => {
            let head = Box::leak(Box::new(head.reference()?));
            let members: Result<Vec<_>, _> = members.iter().map(|m| node(m, names)).collect();
            FileCompositeNode::Composite {
                name,
                head,
                members: members?.leak(),
            }
        }
    })
}
