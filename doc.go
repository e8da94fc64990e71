// Package memtree remembers how AI agents went wrong and hands them the lesson
// before the next try.
//
// An agent that tests software misjudges: it misses a defect (a false pass) or
// reports one that is not there (a false fail). memtree turns each wrong
// judgement into a memory, finds the few that fit the next run, and writes them
// into its prompt as hypotheses.
//
//	mem, err := memtree.Open(ctx, ".memtree", nil)  // embedded store, no model needed
//	g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Scene: scene})
//	result := agent.Run(ctx, g.Enhance(prompt))     // or memtree.Wrap(mem, runCase, nil)
//	err = mem.Record(ctx, memtree.Evaluation{Prompt: prompt, Judgment: result, GroundTruth: truth, Trial: g.Trial})
//
// # What a memory is
//
// A wrong judgement is a case (level 1): immutable evidence, and what an
// analyst made of it. Cases with one root cause become an experience (level 2),
// experiences of one error type a strategy (level 3). All three are a
// [github.com/memtree/memtree/tree.Node]; the laws they obey are tree.Check.
//
// # One evaluation, from arrival to guidance
//
//  1. Record takes an Evaluation, removes secrets from it (formation.Redact)
//     and puts it into the store's outbox. When it returns, the evaluation is
//     durable: it can no longer be lost.
//  2. In the background the outbox is formed: package formation detects whether
//     the judgement was wrong and which way, analyses why (a model, or rules
//     that need none), and proposes changes: a new case, or one more occurrence
//     of an old one. It writes nothing.
//  3. apply, the one door, checks the changes against the laws, commits them to
//     the store together with the end of the outbox entry, and updates the index.
//  4. Before the next run Guide asks package retrieval, which ranks memories by
//     scene, words and meaning, says why for each, and may abstain; package
//     enhance writes the few that are left into a fenced block.
//  5. The run's outcome comes back as an Evaluation that names the trial, and
//     the ledger joins the two.
//
// Stages propose, one door disposes: formation, retrieval and enhance never
// write. ARCHITECTURE.md has the table of packages and who may import whom.
//
// # Where things are
//
// The words (error types, scene types) are in taxonomy, the words of a text in
// text, what a judgment says in judgment, the built-in embedder in embed, the
// models behind llm, their templates in prompts, the file format in store/json
// (see its FORMAT.md), readers of other tools' files in ingest, and the command
// in cmd/memtree.
package memtree
