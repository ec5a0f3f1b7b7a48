//! Where bits lie.

use ir::{Init, Layout, ProgramBuilder, Rel, Scalar, Slot, Type};

#[test]
fn areas_are_packed_and_frames_share_slots() {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let (main, f) = (b.proc("main", at), b.proc("f", at));
    // Declared in a mixed order: each area counts for itself.
    let g = b.global("g", Type::BOOL, at);
    let x = b.local(main, "x", Type::int(3), at);
    let p = b.param(f, "p", Type::BOOL, at);
    let a = b.global("a", Type::array(Scalar::Int { bits: 2 }, -1, 3), at);
    let y = b.local(main, "y", Type::BOOL, at);
    let r = b.result(f, "r", Type::int(2));
    let s = b.result(f, "s", Type::array(Scalar::Bool, 0, 2));
    let h = b.hidden_global("h", Type::int(32));
    for proc in [main, f] {
        b.begin_proc(proc);
        let node = b.silent();
        b.entry(proc, node);
        b.ret(node, Rel::identity(), false);
    }
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let layout = Layout::new(&program);

    let slot = |offset, width, cells| Slot { offset, width, cells };
    assert_eq!(layout.slot(g), slot(0, 1, 1));
    assert_eq!(layout.slot(a), slot(1, 2, 3));
    assert_eq!(layout.slot(h), slot(7, 32, 1));
    assert_eq!(layout.global_bits, 39);
    assert_eq!(layout.slot(x), slot(0, 3, 1));
    assert_eq!(layout.slot(y), slot(3, 1, 1));
    assert_eq!(layout.slot(p), slot(0, 1, 1));
    assert_eq!((layout.frame_bits[main], layout.frame_bits[f]), (4, 1));
    assert_eq!(layout.slot(r), slot(0, 2, 1));
    assert_eq!(layout.slot(s), slot(2, 1, 2));
    assert_eq!((layout.result_bits[main], layout.result_bits[f]), (0, 4));
    assert_eq!(layout.max_frame_bits(), 4);
    assert_eq!(layout.max_result_bits(), 4);
    assert_eq!(layout.scope_bits(), 43);
    assert_eq!(layout.var_count(), 8);

    assert_eq!(layout.slot(a).bits(), 1..7);
    assert_eq!(layout.slot(a).cell(0), 1..3);
    assert_eq!(layout.slot(a).cell(2), 5..7);
}
