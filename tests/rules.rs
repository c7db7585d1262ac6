//! The rule table against the code, the vectors and the documentation.

#[path = "rules/catalogue.rs"]
mod catalogue;
#[path = "rules/contents.rs"]
mod contents;
#[path = "rules/docs.rs"]
mod docs;
#[path = "rules/files.rs"]
mod files;
#[path = "rules/messages.rs"]
mod messages;
#[path = "rules/offsets.rs"]
mod offsets;
#[path = "rules/permissive.rs"]
mod permissive;
#[path = "rules/sites.rs"]
mod sites;
#[path = "rules/special.rs"]
mod special;
mod support;
#[path = "rules/table.rs"]
mod table;
#[path = "rules/transfers.rs"]
mod transfers;
#[path = "rules/writer.rs"]
mod writer;
