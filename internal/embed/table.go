package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	magic      = "MTSE"
	version    = 1
	bits       = 4 // of one value of a row
	headerSize = 24
	maxDims    = 1 << 13
	maxScale   = 1e6 // makes every sum of MaxRunes rows finite in float32
)

// ErrFormat is wrapped by every error of [Read].
var ErrFormat = errors.New("not a usable embedding table")

// A WordVectors holds one vector per word. It is immutable and safe for concurrent use.
type WordVectors struct {
	id     string
	dims   int
	words  string   // all words, sorted by bytes, end to end
	ends   []uint32 // ends[i] is where word i ends in words
	first  []uint32 // first[k] is the first word whose prefix is at least k
	scales string   // float32, little endian, one per word
	rows   string   // dims/2 bytes per word
}

// Read parses a table in the format of FORMAT.md. For a file that is damaged or hostile it returns an error that wraps
// [ErrFormat] and states the cause. Read copies b.
func Read(b []byte) (*WordVectors, error) {
	t, err := parse(string(b))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:4])
	t.id = fmt.Sprintf("static-%d/%s", t.dims, hash)
	if hash == builtinHash {
		t.id = builtinName + "/" + hash
	}
	return t, nil
}

// ID returns the name of the table and the beginning of a hash of its bytes. Vectors of tables with different ids
// must not be compared.
func (t *WordVectors) ID() string { return t.id }

// Dims is the length of every vector.
func (t *WordVectors) Dims() int { return t.dims }

func refuse(format string, args ...any) error {
	return fmt.Errorf("read embedding table: %w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// parse checks every rule of the format and makes a table of slices of data. It copies no word and no row.
func parse(data string) (*WordVectors, error) {
	if len(data) < headerSize || data[:4] != magic {
		return nil, refuse("it does not begin with %s and a header of %d bytes", magic, headerSize)
	}
	var field [5]uint64
	for i := range field {
		field[i] = uint64(word32(data, 4+4*i))
	}
	dims, count, vocabulary := field[1], field[2], field[4]
	switch {
	case field[0] != version:
		return nil, refuse("version %d, this program reads version %d", field[0], version)
	case field[3] != bits:
		return nil, refuse("%d bits per value, this program reads %d", field[3], bits)
	case dims == 0 || dims%2 != 0 || dims > maxDims:
		return nil, refuse("%d dimensions; an even number from 2 to %d is needed", dims, maxDims)
	case count == 0:
		return nil, refuse("it has no words")
	}
	// Each is below 2^32, so no sum or product here overflows 64 bits.
	if want := headerSize + count + vocabulary + 4*count + count*dims/2; uint64(len(data)) != want {
		return nil, refuse("%d bytes where the header asks for %d", len(data), want)
	}
	lengths, rest := data[headerSize:headerSize+count], data[headerSize+count:]
	t := &WordVectors{
		dims: int(dims), words: rest[:vocabulary],
		scales: rest[vocabulary : vocabulary+4*count], rows: rest[vocabulary+4*count:],
	}
	if err := t.index(lengths); err != nil {
		return nil, err
	}
	if err := t.checkScales(); err != nil {
		return nil, err
	}
	return t, nil
}

// index fills ends and first, and checks the lengths and the order of the words.
func (t *WordVectors) index(lengths string) error {
	if !utf8.ValidString(t.words) {
		return refuse("its words are not UTF-8")
	}
	t.ends = make([]uint32, len(lengths))
	t.first = make([]uint32, 1<<16+1)
	var at, key int
	var before string
	for i := range len(lengths) {
		end := at + int(lengths[i])
		if end > len(t.words) || end == at {
			return refuse("word %d has length %d, with %d bytes of words left", i+1, lengths[i], len(t.words)-at)
		}
		w := t.words[at:end]
		if w <= before {
			return refuse("word %d (%.40q) does not sort after the one before it (%.40q)", i+1, w, before)
		}
		for next := prefix(w); key <= next; key++ {
			t.first[key] = uint32(i)
		}
		t.ends[i] = uint32(end)
		at, before = end, w
	}
	for ; key < len(t.first); key++ {
		t.first[key] = uint32(len(lengths))
	}
	if at != len(t.words) {
		return refuse("its words have %d bytes, their lengths add up to %d", len(t.words), at)
	}
	return nil
}

func (t *WordVectors) checkScales() error {
	for i := range t.ends {
		s := float64(t.scale(i))
		if math.IsNaN(s) || s < 0 || s > maxScale {
			return refuse("the scale of word %d is %g; 0 to %g is allowed", i+1, s, maxScale)
		}
	}
	return nil
}

func (t *WordVectors) scale(i int) float32 { return math.Float32frombits(word32(t.scales, 4*i)) }

func (t *WordVectors) word(i int) string {
	if i == 0 {
		return t.words[:t.ends[0]]
	}
	return t.words[t.ends[i-1]:t.ends[i]]
}

// find returns the row of word w. It does a binary search among the words with w's prefix.
func (t *WordVectors) find(w []byte) (row int, ok bool) {
	if len(w) == 0 {
		return 0, false
	}
	key := prefix(w)
	low, high := int(t.first[key]), int(t.first[key+1])
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch m := t.word(mid); {
		case m == string(w):
			return mid, true
		case m < string(w):
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, false
}

// prefix returns the first two bytes of a word as a number; a missing second byte is 0. It sorts as the words do.
func prefix[word string | []byte](w word) int {
	key := int(w[0]) << 8
	if len(w) > 1 {
		key |= int(w[1])
	}
	return key
}

// word32 reads four bytes at an offset, little endian.
func word32(s string, at int) uint32 {
	s = s[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
