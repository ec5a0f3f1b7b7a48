//! Pushdown systems.
