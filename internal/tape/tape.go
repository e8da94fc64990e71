// Package tape records the answers of a model in files, and replays them without a model and without a network.
//
// A folder has one file for each request: a recording. The name of the file is the [Key] of the request. The file
// contains the model's result, which is an answer or a failure that the model caused. It contains neither the request,
// nor an error of the provider, nor an API key. Only the key matches requests, so the same request has the same answer
// whatever model is configured. The vector of a text is a recording too, under its [TextKey].
package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/llm"
)

// Limits on recordings.
const (
	maxFile  = 8 << 20   // bytes of a recording: an answer of llm.MaxAnswer bytes, escaped
	maxFiles = 100_000   // recordings in a folder
	maxBytes = 256 << 20 // of all of them, because they are held in memory
	maxName  = 200       // characters of the name of a prompt or model
	maxUsage = 1 << 30   // tokens
)

const (
	format    = 1
	suffix    = ".json"
	keyDigits = 32
	unnamed   = "unnamed" // prompt or model
)

// Key returns the name of the recording of the request r, without the suffix of the file: a hash of the model's input
// (system, prompt, schema, limit on the answer, images), as 32 hex digits.
func Key(r llm.Request) string {
	h := sha256.New()
	for _, part := range []string{r.System, r.Prompt, string(r.Schema), fmt.Sprint(r.MaxTokens)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	if keys := r.ImageKeys(); keys != "" {
		fmt.Fprintf(h, "%d:%s", len(keys), keys)
	}
	return hex.EncodeToString(h.Sum(nil)[:keyDigits/2])
}

// TextKey returns the name of the recording of the embedding vector of text, as 32 hex digits.
func TextKey(text string) string {
	h := sha256.Sum256([]byte("vector of " + text))
	return hex.EncodeToString(h[:keyDigits/2])
}

// isRecording reports whether a file name is that of a recording. The folder may contain other files.
func isRecording(file string) bool {
	key, ok := strings.CutSuffix(file, suffix)
	return ok && len(key) == keyDigits && strings.Trim(key, "0123456789abcdef") == ""
}

// recording is the content of a file.
type recording struct {
	Format  int             `json:"format"`
	Name    string          `json:"name"`  // of the prompt, for people
	Model   string          `json:"model"` // that produced it
	Usage   llm.Usage       `json:"usage"` // usage when it was recorded
	Answer  json.RawMessage `json:"answer,omitempty"`
	Failure llm.ErrorKind   `json:"failure,omitempty"` // instead of an answer
	Text    string          `json:"text,omitempty"`    // of a malformed answer
	Vector  []byte          `json:"vector,omitempty"`  // instead of an answer: little-endian float32 numbers
}

// recorded reports whether a failure is the model's, and therefore recorded.
func recorded(k llm.ErrorKind) bool {
	return k == llm.KindMalformed || k == llm.KindRefused || k == llm.KindTruncated
}

// play returns the recorded result for a request. The schema is checked again, so that no file can contain an answer
// that a model could not have given.
func (c *recording) play(r llm.Request) (llm.Answer, error) {
	written := c.Text
	if c.Vector != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindNotRecorded, Err: errors.New("the recording is one of a vector")}
	}
	switch c.Failure {
	case llm.KindRefused, llm.KindTruncated:
		return llm.Answer{}, &llm.Error{Kind: c.Failure, Usage: c.Usage, Err: errors.New("so it was recorded")}
	case "":
		written = string(c.Answer)
	}
	raw, err := llm.Decode(written, r.Schema)
	if err != nil {
		if e, ok := errors.AsType[*llm.Error](err); ok {
			e.Usage = c.Usage
		}
		return llm.Answer{}, err
	}
	return llm.Answer{JSON: raw, Model: c.Model, Usage: c.Usage}, nil
}

// decode reads a recording. It accepts only the output of encode.
func decode(b []byte) (recording, error) {
	var c recording
	if !utf8.Valid(b) {
		return c, errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("it is not the JSON of a recording: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("something follows the recording")
	}
	return c, c.check()
}

func (c *recording) check() error {
	tokens := min(c.Usage.InputTokens, c.Usage.OutputTokens)
	switch {
	case c.Format != format:
		return fmt.Errorf("format is %d, and this version reads %d", c.Format, format)
	case !fitsLine(c.Name):
		return errors.New("name is empty, too long or not one line")
	case !fitsLine(c.Model):
		return errors.New("model is empty, too long or not one line")
	case tokens < 0 || max(c.Usage.InputTokens, c.Usage.OutputTokens) > maxUsage:
		return errors.New("usage is no number of tokens")
	case c.Failure != "" && !recorded(c.Failure):
		return fmt.Errorf("failure is %.40q; it is %q, %q or %q",
			c.Failure, llm.KindMalformed, llm.KindRefused, llm.KindTruncated)
	case c.Failure == "" && c.Vector == nil && len(c.Answer) == 0,
		c.Failure != "" && len(c.Answer) > 0, c.Vector != nil && (c.Failure != "" || len(c.Answer) > 0):
		return errors.New("it has to have one of answer, failure and vector")
	case c.Vector != nil && !isVector(c.Vector):
		return errors.New("vector is not finite numbers of the length 1")
	case c.Text != "" && c.Failure != llm.KindMalformed:
		return errors.New("text is only for an answer that is malformed")
	}
	return nil
}

func fitsLine(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxName && !strings.ContainsFunc(s, unicode.IsControl)
}

// encode returns the content of the file.
func (c *recording) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(c)
	return b.Bytes(), err
}
