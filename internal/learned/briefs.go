package learned

import (
	"io"
	"sync"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/store"
)

// BriefBox holds the book of upcoming tests.
type BriefBox struct {
	mu     sync.Mutex
	book   *brief.Book // never nil; replaced by Load and Purge
	before uint64      // offset to the changes of the book
}

// NewBriefs returns an empty book.
func NewBriefs() *BriefBox { return &BriefBox{book: brief.New()} }

// Book returns the present book. Writes to an earlier one are lost.
func (b *BriefBox) Book() *brief.Book {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.book
}

// Name is "briefs".
func (*BriefBox) Name() string { return "briefs" }

// Changes returns a number that grows with every change.
func (b *BriefBox) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.before + b.book.Changes()
}

// Purge starts a new book, because any prompt may contain purged text.
func (b *BriefBox) Purge(*store.Purge) { b.replace(brief.New(), 1) }

// Purged notes the purge in the new book.
func (b *BriefBox) Purged(version uint64) { b.Book().Purge(version) }

// Load reads a book that was saved whole.
func (b *BriefBox) Load(r io.Reader) error {
	book, err := brief.Load(r)
	if err == nil {
		b.replace(book, 0)
	}
	return err
}

// LoadPieces reads a saved book.
func (b *BriefBox) LoadPieces(head *store.Derived, open openPiece) error {
	book, err := loadBook(head, open)
	if book != nil {
		b.replace(book, 0)
	}
	return err
}

// Pieces returns the book in pieces.
func (b *BriefBox) Pieces() (store.Pieces, error) { //nolint:ireturn // what pieced asks for
	return b.Book().Pieces()
}

func loadBook(head *store.Derived, open openPiece) (*brief.Book, error) {
	data, err := io.ReadAll(io.NewSectionReader(head, 0, head.Size))
	if err != nil {
		return nil, err
	}
	return brief.LoadPieces(data, func(name string) (io.ReaderAt, int64, error) {
		d, err := open(name)
		if err != nil {
			return nil, 0, err
		}
		return d, d.Size, nil
	})
}

// Merge brings in the book of another process.
func (b *BriefBox) Merge(head *store.Derived, open openPiece) error {
	theirs, err := loadBook(head, open)
	if err != nil {
		return err
	}
	book, more := brief.Join(theirs, b.Book())
	if more || book != theirs {
		b.replace(book, 1)
	} else {
		b.replace(book, 0)
	}
	return nil
}

// replace replaces the book and adds changes to the count.
func (b *BriefBox) replace(book *brief.Book, changes uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before += b.book.Changes() + changes - book.Changes()
	b.book = book
}

// Save writes the book.
func (b *BriefBox) Save(w io.Writer) error { return b.Book().Save(w) }
