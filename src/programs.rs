//! Programs of this machine: where they are, what they print when they are asked, and a Java new enough for those that
//! need one. A leaf; blocking.

mod ask;
mod find;
mod java;

pub use ask::ask;
pub use find::{Found, Origin, find, find_on_path, in_folders, is_program};
pub use java::{Java, JavaPlaces, find_java};
