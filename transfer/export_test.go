package transfer

import (
	"context"
	"io"
	"iter"

	"github.com/memtree/memtree/tree"
)

// Names that are exported for the tests of the package only.
const (
	MaxNodes        = 250_000
	MaxLine         = 4 << 20
	SignatureSuffix = signatureSuffix
)

var (
	Canonical   = canonical
	Choose      = choose
	Merge       = merge
	Conflicts   = contradictions
	ReadArchive = readArchive
	ReadFolder  = readFolder
	ReadSeed    = readSeed
	WriteSeed   = writeSeed
	Allowed     = allowed
)

// Limits of a file.
type Limits = limits

// AllowedNodes and AllowedBytes are smaller limits.
func AllowedNodes(n int) Limits   { l := allowed; l.nodes = n; return l }
func AllowedBytes(n int64) Limits { l := allowed; l.bytes = n; return l }

// WriteArchive writes a file of nodes to w.
func WriteArchive(w io.Writer, nodes iter.Seq2[tree.Node, error]) (Manifest, error) {
	out, err := newArchive(w)
	if err != nil {
		return Manifest{}, err
	}
	return write(out, nodes, Beside{})
}

// Scanned and Fetched yield the chosen nodes in two ways.
func (s *Selection) Scanned(ctx context.Context) iter.Seq2[tree.Node, error] {
	return s.scanned(ctx, s.leaving())
}
func (s *Selection) Fetched(ctx context.Context) iter.Seq2[tree.Node, error] {
	return s.fetched(ctx, s.leaving())
}
