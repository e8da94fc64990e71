package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// sentence turns an error into a sentence for an agent: the cause, and what to do.
func (s *server) sentence(err error) error {
	var field *tree.FieldError
	var damaged *store.CorruptError
	var labelled *store.LabelledError
	switch {
	case errors.As(err, &field):
		name := field.Field
		if name == "reason" {
			name = "note"
		}
		return fmt.Errorf("%s %s", name, field.Problem)
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("memory did not answer in time; go on without it, or try again")
	case errors.Is(err, context.Canceled):
		return errors.New("the call was cancelled")
	case errors.As(err, &labelled):
		return fmt.Errorf("%w; nothing was recorded", labelled)
	case errors.Is(err, store.ErrContradiction):
		return errors.New("another run was recorded under this id with other content, so nothing was recorded; give this " +
			"run a run_id of its own")
	case errors.Is(err, store.ErrReadOnly):
		return errors.New("memory can only be read here, so nothing was recorded; go on without")
	case errors.Is(err, store.ErrClosed):
		return errors.New("memory is closing; go on without it")
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return errors.New("the disk of memory is full, so nothing was recorded; tell the people who run memtree")
	case errors.Is(err, store.ErrFailed):
		return errors.New("the disk of memory failed while writing; tell the people who run memtree, and record the run " +
			"again later: recording it twice changes nothing")
	case errors.As(err, &damaged):
		s.o.Logger.Error("the store is damaged", "error", err)
		return errors.New("a part of memory is damaged and cannot be read; tell the people who run memtree to call memtree " +
			"fsck, and go on without")
	}
	if errors.Is(err, tree.ErrNotFound) {
		return errors.New("there is nothing with this id; give the whole id as search_memories, list_facts or find_element " +
			"has it")
	}
	return err
}

// wireError returns err as an error of JSON-RPC, for requests whose answers cannot be marked as failed: prompts and
// resources. What the caller can mend is -32602, the rest -32603.
func (s *server) wireError(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	if _, of := errors.AsType[*tree.FieldError](err); of {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: s.sentence(err).Error()}
}
