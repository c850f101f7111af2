//! Opening, making and replacing files beneath the root.
