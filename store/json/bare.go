package jsonstore

import (
	"fmt"
	"strconv"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// decodeBare reads of the JSON of a node what store.Filter.Bare asks for. It passes over the other values without
// reading them.
func decodeBare(raw []byte, v any) error {
	n, ok := v.(*tree.Node)
	if !ok {
		return decode(raw, v)
	}
	var problem error
	text := func(b []byte) string {
		s, err := unquote(b)
		if err != nil {
			problem = err
		}
		return s
	}
	err := members(raw, func(key string, b []byte, _ int) bool {
		switch key {
		case "id":
			n.ID = text(b)
		case "type":
			n.Type = tree.Type(text(b))
		case "level":
			n.Level, problem = strconv.Atoi(string(b))
		case "errorType":
			n.ErrorType = text(b)
		case "direction":
			n.Direction = taxonomy.Direction(text(b))
		case "status":
			n.Status = tree.Status(text(b))
		case "mark":
			n.Mark = tree.Mark(text(b))
		case "supersededBy":
			n.SupersededBy = text(b)
		case "archivedFor":
			n.ArchivedFor = text(b)
		case "provenance":
			if err := bareProvenance(b, &n.Provenance, text); err != nil {
				problem = err
			}
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	if err != nil {
		return fmt.Errorf("read a node: %w", err)
	}
	return nil
}

func bareProvenance(raw []byte, p *tree.Provenance, text func([]byte) string) error {
	return members(raw, func(key string, b []byte, _ int) bool {
		switch key {
		case "by":
			p.By = text(b)
		case "analyst":
			p.Analyst = text(b)
		case "model":
			p.Model = text(b)
		case "again":
			p.Again = string(b) == "true"
		}
		return true
	})
}
