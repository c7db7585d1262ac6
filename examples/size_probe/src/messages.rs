//! Messages of a link: one direction of them, and both sides with everything that a session does.
#![allow(dead_code, unused_imports)] // not every variant has everything

use core::convert::Infallible;
use core::mem::MaybeUninit;

use hrry::message::{
    ErrorCode, ErrorMessage, FixedMessages, FixedSession, Hello, LinkOptions, MessageBody,
    SessionEvent, ShardNumber, Side, TensorRequest,
};
use hrry::{DescriptorView, Policy, Sink};

use crate::fold::Fold;

#[cfg(feature = "messages")]
mod one_way {
    use super::*;

    type Messages = FixedMessages<256, 64, 1>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_messages_new(out: &mut MaybeUninit<Messages>, most: u32) {
        let options = LinkOptions::new(Side::Server, most);
        out.write(Messages::new(options, Policy::STRICT));
    }

    /// # Safety
    ///
    /// `data` points to `len` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn probe_messages(
        parser: &mut Messages,
        data: *const u8,
        len: usize,
    ) -> u64 {
        let mut fold = Fold(0);
        // SAFETY: as above
        let mut chunk = unsafe { crate::chunk(data, len) };
        loop {
            match parser.next_event(&mut chunk) {
                Ok(Some(event)) => {
                    fold.number(event.header.stream_id);
                    match event.body {
                        MessageBody::ServerHello(hello) => {
                            fold.number(hello.max_message_size);
                            for entry in hello.layouts {
                                fold.number(entry.tag.0);
                            }
                        }
                        MessageBody::TensorDescriptor(tensor, outcome) => {
                            fold.event(hrry::Event::Descriptor(tensor.descriptor, outcome));
                        }
                        MessageBody::Data(data) => fold.number(data.offset),
                        MessageBody::Error(error) => fold.number(error.error_code.0),
                        _ => {}
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    fold.error(&error);
                    if parser.skip_message().is_err() {
                        break;
                    }
                }
            }
        }
        if let Err(error) = parser.finish() {
            fold.error(&error);
        }
        fold.0
    }
}

#[cfg(feature = "session")]
mod both_ways {
    use super::*;

    /// Where bytes go, as C code has it.
    #[repr(C)]
    pub struct Line(unsafe extern "C" fn(*const u8, usize));

    impl Sink for Line {
        type Error = Infallible;

        fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
            // SAFETY: it reads at most so many bytes
            unsafe { (self.0)(bytes.as_ptr(), bytes.len()) };
            Ok(())
        }
    }

    type Session = FixedSession<'static, Line, 256, 64, 2>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_session_new(out: &mut MaybeUninit<Session>, line: Line, serves: bool) {
        let side = match serves {
            true => Side::Server,
            false => Side::Client,
        };
        out.write(Session::new(side, Hello::new(1024), line, Policy::STRICT));
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_session_start(session: &mut Session, now: u64) -> u8 {
        let request = TensorRequest::new("w");
        (session.start(now).is_ok() && session.request(&request).is_ok()).into()
    }

    /// # Safety
    ///
    /// `data` points to `len` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn probe_session(
        session: &mut Session,
        descriptor: &DescriptorView<'_>,
        data: *const u8,
        len: usize,
        now: u64,
    ) -> u64 {
        let mut fold = Fold(0);
        // SAFETY: as above
        let bytes = unsafe { crate::chunk(data, len) };
        let mut chunk = bytes;
        while let Ok(Some(event)) = session.receive(&mut chunk, now) {
            match event {
                SessionEvent::Requested(stream, request) if request.tensor_key.is_empty() => {
                    let error = ErrorMessage {
                        error_code: ErrorCode::UnknownTensor,
                        message: "",
                    };
                    fold.number(session.refuse(stream, &error).is_ok());
                }
                SessionEvent::Requested(stream, _) => {
                    let sent = session.answer(stream, descriptor).is_ok()
                        && session.data(stream, bytes).is_ok()
                        && session.end(stream).is_ok();
                    fold.number(sent);
                }
                SessionEvent::Put(stream, put) => {
                    fold.number(put.total_data_bytes);
                    fold.number(session.accept(stream).is_ok());
                }
                SessionEvent::Data(_, data) => fold.number(data.offset),
                SessionEvent::Refused(_, error) => fold.error(&error),
                _ => {}
            }
        }
        let put = session.put("k", descriptor);
        fold.number(put.is_ok());
        fold.number(session.tick(now).is_ok());
        if let Err(error) = session.finish() {
            fold.error(&error);
        }
        fold.0
    }
}
