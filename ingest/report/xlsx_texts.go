package report

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// sharedTexts are the texts that the cells of a workbook share. Long ones are in a file; memory holds the end of each.
type sharedTexts struct {
	spool byteSpool
	ends  []uint32
	wait  []byte // the last ones, not yet in the spool
}

// gathered is the number of bytes of texts that are written at once.
const gathered = 256 << 10

// add adds the next text.
func (t *sharedTexts) add(d *fileDecoder, s string) error {
	end := t.spool.size + int64(len(t.wait)) + int64(len(s))
	if len(t.ends) == mostTexts || end > math.MaxUint32 {
		return d.unread("has more texts than can be read of a workbook; save the table as CSV")
	}
	t.ends = append(t.ends, uint32(end))
	if t.wait = append(t.wait, s...); len(t.wait) >= gathered {
		return t.flush()
	}
	return nil
}

func (t *sharedTexts) flush() error {
	_, err := t.spool.Write(t.wait)
	t.wait = t.wait[:0]
	if err != nil {
		return fmt.Errorf("keep the texts of a workbook: %w", err)
	}
	return nil
}

// at returns the text with a number, "" if it does not exist.
func (t *sharedTexts) at(n int) (string, error) {
	if n < 0 || n >= len(t.ends) {
		return "", nil
	}
	if len(t.wait) > 0 {
		if err := t.flush(); err != nil {
			return "", err
		}
	}
	from := uint32(0)
	if n > 0 {
		from = t.ends[n-1]
	}
	b := make([]byte, t.ends[n]-from)
	if _, err := t.spool.ReadAt(b, int64(from)); err != nil && !(errors.Is(err, io.EOF) && len(b) == 0) {
		return "", fmt.Errorf("read the texts of a workbook: %w", err)
	}
	return string(b), nil
}
