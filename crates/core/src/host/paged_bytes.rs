//! Bytes of a memory, in pages that are allocated when they are first written.
//!
//! A memory is zero at first, and most of a large memory is never used. Its size is an upper bound and is not
//! allocated: the simulator needs only as much memory as programs and devices write.

/// Bytes of a page, a power of two. It is small, so that a few rings and buffers take little space.
const PAGE_BYTES: usize = 1024;

/// The bytes of a memory.
pub struct PagedBytes {
    /// The pages up to the last one that was written; `None` if a page was never written.
    pages: Vec<Option<Box<[u8; PAGE_BYTES]>>>,
    size: usize,
}

impl PagedBytes {
    /// Returns `size` bytes of zeros.
    pub fn new(size: usize) -> PagedBytes {
        PagedBytes { pages: Vec::new(), size }
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Raises the number of bytes to `size`. The additional bytes are zero.
    pub fn grow(&mut self, size: usize) {
        self.size = self.size.max(size);
    }

    /// Copies the bytes from `at` on into `into`.
    ///
    /// # Panics
    ///
    /// Panics if the range exceeds the size.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        self.check_range(at, into.len());
        let offset = at % PAGE_BYTES;
        // The page has the bytes, except if it was never written or the range exceeds it.
        match self.page(at).and_then(|page| page.get(offset..offset + into.len())) {
            Some(bytes) => into.copy_from_slice(bytes),
            None => self.read_over_pages(at, into),
        }
    }

    /// Copies `from` to the bytes from `at` on.
    ///
    /// # Panics
    ///
    /// Panics if the range exceeds the size.
    #[inline]
    pub fn write(&mut self, at: usize, from: &[u8]) {
        self.check_range(at, from.len());
        let offset = at % PAGE_BYTES;
        if let Some(Some(page)) = self.pages.get_mut(at / PAGE_BYTES)
            && let Some(bytes) = page.get_mut(offset..offset + from.len())
        {
            return bytes.copy_from_slice(from);
        }
        self.write_over_pages(at, from);
    }

    /// Calls `read` with `length` bytes from `at` on, and returns its result. Bytes that are in several pages are
    /// copied.
    ///
    /// # Panics
    ///
    /// Panics if the range exceeds the size.
    pub fn with<T>(&self, at: usize, length: usize, read: impl FnOnce(&[u8]) -> T) -> T {
        self.check_range(at, length);
        let offset = at % PAGE_BYTES;
        match self.page(at) {
            Some(page) if offset + length <= PAGE_BYTES => read(&page[offset..offset + length]),
            None if offset + length <= PAGE_BYTES => read(&[0; PAGE_BYTES][..length]),
            _ => {
                let (mut bytes, mut at, end) = (Vec::with_capacity(length), at, at + length);
                while at < end {
                    let part_bytes = (end - at).min(PAGE_BYTES - at % PAGE_BYTES);
                    match self.page(at) {
                        Some(page) => bytes.extend_from_slice(&page[at % PAGE_BYTES..][..part_bytes]),
                        None => bytes.resize(bytes.len() + part_bytes, 0),
                    }
                    at += part_bytes;
                }
                read(&bytes)
            }
        }
    }

    #[inline]
    fn check_range(&self, at: usize, length: usize) {
        assert!(at <= self.size && length <= self.size - at, "{length} bytes at {at} exceed {} bytes", self.size);
    }

    #[inline]
    fn page(&self, at: usize) -> Option<&[u8; PAGE_BYTES]> {
        self.pages.get(at / PAGE_BYTES)?.as_deref()
    }

    #[inline]
    fn page_mut(&mut self, at: usize) -> &mut [u8; PAGE_BYTES] {
        if !matches!(self.pages.get(at / PAGE_BYTES), Some(Some(_))) {
            self.allocate(at / PAGE_BYTES);
        }
        self.pages[at / PAGE_BYTES].as_mut().expect("the page is allocated")
    }

    #[cold]
    fn allocate(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        self.pages[page] = Some(Box::new([0; PAGE_BYTES]));
    }

    #[inline(never)]
    fn read_over_pages(&self, at: usize, into: &mut [u8]) {
        let (mut at, mut remaining) = (at, into);
        while !remaining.is_empty() {
            let (part, tail) = remaining.split_at_mut(remaining.len().min(PAGE_BYTES - at % PAGE_BYTES));
            match self.page(at) {
                Some(page) => part.copy_from_slice(&page[at % PAGE_BYTES..][..part.len()]),
                None => part.fill(0),
            }
            (at, remaining) = (at + part.len(), tail);
        }
    }

    #[inline(never)]
    fn write_over_pages(&mut self, at: usize, from: &[u8]) {
        let (mut at, mut remaining) = (at, from);
        while !remaining.is_empty() {
            let (part, tail) = remaining.split_at(remaining.len().min(PAGE_BYTES - at % PAGE_BYTES));
            self.page_mut(at)[at % PAGE_BYTES..][..part.len()].copy_from_slice(part);
            (at, remaining) = (at + part.len(), tail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: usize = 5 * PAGE_BYTES + 100;

    proptest! {
        #[test]
        fn pages_equal_contiguous_bytes(
            steps in prop::collection::vec((0..SIZE, 0..2 * PAGE_BYTES + 50, any::<Option<u8>>()), 1..40),
        ) {
            let (mut paged, mut contiguous) = (PagedBytes::new(SIZE), vec![0; SIZE]);
            for (at, length, write_byte) in steps {
                let range = at..SIZE.min(at + length);
                if let Some(byte) = write_byte {
                    paged.write(at, &vec![byte; range.len()]);
                    contiguous[range.clone()].fill(byte);
                }
                let mut read = vec![7; range.len()];
                paged.read(at, &mut read);
                prop_assert_eq!(&read[..], &contiguous[range.clone()]);
                paged.with(at, range.len(), |bytes| assert_eq!(bytes, &contiguous[range]));
            }
        }
    }

    #[test]
    fn only_written_pages_are_allocated() {
        let mut paged = PagedBytes::new(1 << 40);
        paged.read(1 << 39, &mut [0; 8]);
        paged.write(3 * PAGE_BYTES - 1, &[1, 2]);
        assert_eq!(paged.pages.iter().flatten().count(), 2);
        assert_eq!(paged.pages.len(), 4);
    }

    #[test]
    #[should_panic(expected = "exceed")]
    fn access_beyond_the_size_panics() {
        PagedBytes::new(10).read(8, &mut [0; 3]);
    }
}
