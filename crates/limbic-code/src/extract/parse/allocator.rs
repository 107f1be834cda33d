//! The parser's memory: Rust's allocator, with a count of what the parser of each thread allocates.
//!
//! The counts do not depend on the machine: a small block counts as [`SMALL_BYTES`], because only small blocks have a
//! size that follows that of a pointer.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

use tree_sitter::Allocator;

/// The size of a node of the parser's stack. Few other blocks that are allocated without zeros have it: they count as
/// nodes, too.
const STACK_NODE_BYTES: usize = if cfg!(target_pointer_width = "64") { 232 } else { 164 };
/// A block up to this size is small.
const MAX_SMALL_BYTES: usize = 256;
/// What a small block counts as: about the size of a syntax node.
const SMALL_BYTES: usize = 96;
/// Most large blocks are lists of 8-byte items, some behind a head whose size differs by 4 bytes between machines.
/// Lists of pointers are short.
const ITEM_BYTES: usize = 8;

/// In front of a block are its size and whether it counts as a node of the stack. Blocks are aligned for two words, as
/// the parser needs it.
const HEADER_BYTES: usize = 2 * size_of::<usize>();

/// What a thread has allocated since [`reset`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Allocations, including those that resize a block.
    pub allocations: usize,
    /// The size of all large blocks, also of those that were freed.
    pub large_bytes: usize,
    /// Bytes that are in use, less those of older blocks that were freed.
    live_bytes: isize,
    /// The maximum of the bytes in use.
    pub peak_bytes: isize,
    /// Nodes of the stack that are in use, less older ones that were freed.
    stack_nodes: isize,
    /// The maximum of the stack's nodes.
    pub peak_stack_nodes: isize,
}

thread_local! {
    static USAGE: Cell<Usage> = const {
        Cell::new(Usage {
            allocations: 0,
            large_bytes: 0,
            live_bytes: 0,
            peak_bytes: 0,
            stack_nodes: 0,
            peak_stack_nodes: 0,
        })
    };
}

/// Lets the parser use this allocator. Call it before any other function of the parser.
#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let functions =
            Allocator { malloc: allocate, calloc: allocate_zeroed, realloc: resize, free: release };
        // SAFETY: the functions belong together, never return null, align for two words, and `Once` lets no other
        // thread pass before they are set. All parsers of this project are created behind this call. A program that
        // uses limbic-memory and the parser itself must not use the parser before: the README there says so.
        unsafe { tree_sitter::set_allocator(Some(functions)) };
    });
}

/// Counts from zero again on this thread.
pub fn reset() {
    USAGE.set(Usage::default());
}

/// What this thread has allocated since the last [`reset`].
pub fn usage() -> Usage {
    USAGE.get()
}

/// The bytes that a block counts as.
fn counted(bytes: usize) -> usize {
    if bytes <= MAX_SMALL_BYTES { SMALL_BYTES } else { bytes.next_multiple_of(ITEM_BYTES) }
}

fn count(bytes: usize, freed: usize) {
    let mut usage = USAGE.get();
    usage.allocations += 1;
    if bytes > MAX_SMALL_BYTES {
        usage.large_bytes += counted(bytes);
    }
    usage.live_bytes += counted(bytes).cast_signed() - freed.cast_signed();
    usage.peak_bytes = usage.peak_bytes.max(usage.live_bytes);
    USAGE.set(usage);
}

fn layout(bytes: usize) -> Layout {
    let bytes = bytes.checked_add(HEADER_BYTES).expect("a block is smaller than the address space");
    Layout::from_size_align(bytes, HEADER_BYTES).expect("a block is smaller than the address space")
}

/// Stores in front of a block its size and whether it counts as a node of the stack.
///
/// # Safety
///
/// `start` is what the allocator returned for `layout(bytes)`, or null.
#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe fn block(start: *mut u8, bytes: usize, is_stack_node: bool) -> *mut c_void {
    if start.is_null() {
        handle_alloc_error(layout(bytes));
    }
    // SAFETY: the memory begins with the header, and is aligned for it.
    unsafe {
        start.cast::<[usize; 2]>().write([bytes, usize::from(is_stack_node)]);
        start.add(HEADER_BYTES).cast()
    }
}

/// The start of the memory of a block, the block's size, and whether it counts as a node of the stack.
///
/// # Safety
///
/// `block` is of this allocator and in use.
#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe fn memory(block: *mut c_void) -> (*mut u8, usize, bool) {
    // SAFETY: each block has a header, which holds its size.
    unsafe {
        let start = block.cast::<u8>().sub(HEADER_BYTES);
        let [bytes, is_stack_node] = start.cast::<[usize; 2]>().read();
        (start, bytes, is_stack_node == 1)
    }
}

#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe extern "C" fn allocate(bytes: usize) -> *mut c_void {
    count(bytes, 0);
    let is_stack_node = bytes == STACK_NODE_BYTES;
    if is_stack_node {
        let mut usage = USAGE.get();
        usage.stack_nodes += 1;
        usage.peak_stack_nodes = usage.peak_stack_nodes.max(usage.stack_nodes);
        USAGE.set(usage);
    }
    // SAFETY: the layout has a header, so that its size is not 0.
    unsafe { block(alloc(layout(bytes)), bytes, is_stack_node) }
}

#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe extern "C" fn allocate_zeroed(items: usize, item_bytes: usize) -> *mut c_void {
    let bytes = items.checked_mul(item_bytes).expect("a block is smaller than the address space");
    count(bytes, 0);
    // SAFETY: as in `allocate`.
    unsafe { block(alloc_zeroed(layout(bytes)), bytes, false) }
}

#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe extern "C" fn resize(old: *mut c_void, bytes: usize) -> *mut c_void {
    if old.is_null() {
        // SAFETY: as in `allocate`.
        return unsafe { allocate(bytes) };
    }
    // SAFETY: the parser resizes blocks that it has, which were allocated with the layout of their size.
    unsafe {
        let (start, old_bytes, is_stack_node) = memory(old);
        count(bytes, counted(old_bytes));
        block(realloc(start, layout(old_bytes), layout(bytes).size()), bytes, is_stack_node)
    }
}

#[allow(unsafe_code, reason = "tree-sitter takes the functions of an allocator of C")]
unsafe extern "C" fn release(old: *mut c_void) {
    if old.is_null() {
        return;
    }
    // SAFETY: the parser frees a block once, which was allocated with the layout of its size.
    unsafe {
        let (start, bytes, is_stack_node) = memory(old);
        let mut usage = USAGE.get();
        usage.live_bytes -= counted(bytes).cast_signed();
        if is_stack_node {
            usage.stack_nodes -= 1;
        }
        USAGE.set(usage);
        dealloc(start, layout(bytes));
    }
}
