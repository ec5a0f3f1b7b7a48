//! Remopla.
