package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// An upload that is cut off by the limit of time is no whole one.
func TestSpoolIsNotCutOffSilently(t *testing.T) {
	c := http.NewResponseController(httptest.NewRecorder())
	path := filepath.Join(t.TempDir(), "import")
	require.ErrorIs(t, spool(path, endless{}, c, time.Millisecond), os.ErrDeadlineExceeded)
	require.NoError(t, spool(path+"2", strings.NewReader("whole"), c, time.Minute))
}
