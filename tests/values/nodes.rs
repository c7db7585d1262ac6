//! Items as trees of descriptors and buffers, and what the library says of their numbers.

use hrry::owned::{Item, ItemReader};
use hrry::{
    Canvas, DescriptorView, ElementType, Event, Exact, FileItems, FileView, Layout, Policy, SubBox,
    ValueError, check, read_stored, read_values,
};

use super::support::trace::growing;

/// A tensor, or a head with its members.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub name: String,
    pub descriptor: Vec<u8>,
    pub buffers: Vec<Vec<u8>>,
    pub members: Vec<Node>,
}

/// The items of a stream, through the core's decoder.
pub fn of_stream(bytes: &[u8]) -> Option<Vec<Node>> {
    let mut decoder = growing(Policy::STRICT);
    let mut flat: Vec<Node> = Vec::new();
    let mut input = bytes;
    while let Some(event) = decoder.next_event(&mut input).ok()? {
        match event {
            Event::Descriptor(view, _) => flat.push(Node {
                descriptor: view.as_bytes().to_vec(),
                buffers: vec![Vec::new(); view.buffer_count()],
                ..Node::default()
            }),
            Event::Payload(payload) => {
                let buffers = &mut flat.last_mut()?.buffers;
                buffers[usize::from(payload.buffer)].extend_from_slice(payload.bytes);
            }
            _ => {}
        }
    }
    decoder.finish().ok()?;
    Some(trees(flat))
}

/// The items of a container, through the core's view.
pub fn of_file(bytes: &[u8]) -> Option<Vec<Node>> {
    let policy = Policy::STRICT;
    let view = FileView::open(bytes, &policy).ok()?;
    let mut scratch = vec![0; view.scratch_words() as usize];
    let (file, index) = FileView::open_with_scratch(bytes, &policy, &mut scratch).ok()?;
    let mut items = FileItems::new(file, index, Exact, Vec::new(), policy);
    let mut flat = Vec::new();
    while let Some(item) = items.next_item().ok()? {
        flat.push(Node {
            name: item.tensor.entry().name.to_owned(),
            descriptor: item.tensor.descriptor().as_bytes().to_vec(),
            buffers: item.tensor.buffers().map(<[u8]>::to_vec).collect(),
            members: Vec::new(),
        });
    }
    Some(trees(flat))
}

fn trees(flat: Vec<Node>) -> Vec<Node> {
    let (mut items, mut flat) = (Vec::new(), flat.into_iter());
    while let Some(node) = flat.next() {
        items.push(with_members(node, &mut flat));
    }
    items
}

fn with_members(mut node: Node, rest: &mut impl Iterator<Item = Node>) -> Node {
    if let Layout::Composite(head) = node.view().layout() {
        for _ in 0..head.member_count {
            let member = rest.next().expect("every member is there");
            node.members.push(with_members(member, rest));
        }
    }
    node
}

impl Node {
    pub fn view(&self) -> DescriptorView<'_> {
        let (view, _) = DescriptorView::parse(&self.descriptor, &Policy::STRICT).unwrap();
        view
    }

    pub fn shape(&self) -> Vec<u64> {
        self.view().shape().iter().collect()
    }

    pub fn is_head(&self) -> bool {
        matches!(self.view().layout(), Layout::Composite(_))
    }

    pub fn slices(&self) -> Vec<&[u8]> {
        self.buffers.iter().map(|buffer| &buffer[..]).collect()
    }

    /// As a stream that holds nothing else.
    pub fn to_stream(&self) -> Vec<u8> {
        let mut bytes = self.descriptor.clone();
        bytes.extend(self.buffers.concat());
        bytes.extend(self.members.iter().flat_map(Node::to_stream));
        bytes
    }

    pub fn to_owned_item(&self) -> Item {
        let mut reader = ItemReader::new(Policy::STRICT);
        let item = reader.next_item(&mut &self.to_stream()[..]).unwrap();
        item.expect("a stream of one item")
    }

    /// This node and all below it, heads first.
    pub fn all(&self) -> Vec<&Node> {
        let below = self.members.iter().flat_map(Node::all);
        std::iter::once(self).chain(below).collect()
    }

    /// The elements of a box, packed: the type, and the bytes. Codes are numbers unless `stored`.
    pub fn packed(
        &self,
        part: SubBox<'_>,
        stored: bool,
    ) -> Result<(ElementType, Vec<u8>), ValueError> {
        let view = self.view();
        let elements = part.elements().unwrap();
        let room = |of| vec![0x5A; check::packed_bytes(of, elements).unwrap_or(0) as usize];
        if self.is_head() {
            let mut out = room(view.element_type());
            let mut canvas = Canvas::new(&view, part, &mut out, Vec::new())?;
            for node in self.all().into_iter().skip(1) {
                canvas.item(&node.view(), &node.slices())?;
            }
            canvas.finish()?;
            return Ok((view.element_type(), out));
        }
        if stored || view.quantization().is_none() {
            let mut out = room(view.element_type());
            read_stored(&view, &self.slices(), part, &mut out)?;
            return Ok((view.element_type(), out));
        }
        let mut out = vec![0.0f32; elements as usize];
        read_values(&view, &self.slices(), part, &mut out)?;
        let bytes = out.iter().flat_map(|x| x.to_le_bytes()).collect();
        Ok((ElementType::Float32, bytes))
    }
}
