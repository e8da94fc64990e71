// Package memtree remembers how AI agents that test software went wrong, and gives them the lesson before the next
// try.
//
//	mem, err := memtree.Open(ctx, ".memtree", nil) // a store in a folder; no model, no network
//	g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Scene: scene})
//	judgment := agent(ctx, g.Enhance(prompt))
//	err = mem.Record(ctx, memtree.Evaluation{Prompt: prompt, Judgment: judgment, GroundTruth: truth, Trial: g.Trial})
//	v, err := mem.Evolve(ctx, nil) // now and then, such as every night
//	err = mem.Close()
//
// That is the loop; [Wrap] puts Guide and Record around an existing function. Everything marked Advanced is optional.
// ARCHITECTURE.md is the tour.
//
// A wrong judgement becomes a case: its evidence, and which check was missed. Cases that missed one check become a
// lesson. Guide finds the few memories that fit a run, and abstains where none does. If anything in memory fails, a
// run continues with its own prompt.
package memtree
