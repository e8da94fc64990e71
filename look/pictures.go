package look

import (
	"context"
	"regexp"
	"strconv"
	"sync"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// Limits of the pictures that a reader is shown with a verdict.
const (
	mostPictures      = 2
	mostPictureTokens = 1700
)

// shownPictures returns the last pictures of a run that fit into the limits, in their order. It reads their references
// alone.
func shownPictures(e *tree.Evaluation) []tree.Picture {
	if e.Evidence == nil {
		return nil
	}
	all, left := e.Evidence.Pictures, mostPictureTokens
	from := len(all)
	for from > 0 && len(all)-from < mostPictures {
		p := &all[from-1]
		tokens := llm.Tokens(p.Width, p.Height)
		if p.Bytes > llm.MaxImage || p.Width > llm.MaxImageSide || p.Height > llm.MaxImageSide || tokens > left {
			break
		}
		from, left = from-1, left-tokens
	}
	return all[from:]
}

// images loads pictures. ok is false if one is gone or no image within the limits of llm.
func (s *Looks) images(ctx context.Context, ps []tree.Picture) (out []llm.Image, ok bool) {
	for i := range ps {
		b, err := s.a.Picture(ctx, ps[i].SHA256)
		if err != nil {
			return nil, false
		}
		image, err := llm.NewImage(b)
		if err != nil {
			return nil, false
		}
		out = append(out, image)
	}
	return out, true
}

// named finds the picture that a reader names in place of a quotation.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[Pp]icture|图)\s*([0-9])\s*[:：]`)
})

// pictureOf returns the number of the picture that an answer names in place of a quotation, 0 for none of n.
func pictureOf(quote string, n int) int {
	m := named().FindStringSubmatch(quote)
	if m == nil {
		return 0
	}
	if i, err := strconv.Atoi(m[1]); err == nil && i <= n {
		return i
	}
	return 0
}
