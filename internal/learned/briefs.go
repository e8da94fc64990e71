package learned

import (
	"io"
	"sync"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/store"
)

// BriefBox holds the [brief.Book] of a memory: its upcoming tests, and which memories a model chose for them. It is
// safe for concurrent use.
type BriefBox struct {
	mu     sync.Mutex
	book   *brief.Book // never nil; replaced by Load and Purge
	before uint64      // offset to the changes of the book
}

// NewBriefs returns a BriefBox with an empty book.
func NewBriefs() *BriefBox { return &BriefBox{book: brief.New()} }

// Book returns the present book. Purge, Load, LoadPieces and Merge replace the book; changes made to an old book after
// that are lost.
func (b *BriefBox) Book() *brief.Book {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.book
}

// Name returns "briefs".
func (*BriefBox) Name() string { return "briefs" }

// Changes returns a number that grows with every change.
func (b *BriefBox) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.before + b.book.Changes()
}

// Purge replaces the book by an empty one, because any prompt may contain purged text.
func (b *BriefBox) Purge(*store.Purge) { b.replace(brief.New(), 1) }

// Purged notes in the book that the tree was purged at this version. From then on Merge takes over nothing older from
// other processes.
func (b *BriefBox) Purged(version uint64) { b.Book().Purge(version) }

// Load replaces the book by one that Save wrote in one file. After an error the book is as before.
func (b *BriefBox) Load(r io.Reader) error {
	book, err := brief.Load(r)
	if err == nil {
		b.replace(book, 0)
	}
	return err
}

// LoadPieces replaces the book by a saved one, from one file or several pieces. open opens a piece, which must stay
// open while the book is in use. After an error the book has the tests of the readable pieces, or is as before if the
// head cannot be read.
func (b *BriefBox) LoadPieces(head *store.Derived, open openPiece) error {
	book, err := loadBook(head, open)
	if book != nil {
		b.replace(book, 0)
	}
	return err
}

// Pieces returns the book in the pieces in which it is saved.
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

// Merge joins the book with the one that another process saved. After an error the book is as before.
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

// Save writes the book to w as one file.
func (b *BriefBox) Save(w io.Writer) error { return b.Book().Save(w) }
