import { readFileSync } from 'node:fs';

interface Entry {
  prompt: string;
  scene?: { route?: string };
  scope?: { test?: string };
  text: string;
}

/** The guidance of a release, as `memtree freeze` writes it. */
export class Frozen {
  private readonly entries = new Map<string, Entry[]>();

  /** @param file The parsed content of the file. */
  constructor(file: unknown) {
    const { format, version, guidance } = (file ?? {}) as { format?: unknown; version?: unknown; guidance?: unknown };
    if (format !== 'memtree.frozen' || version !== 1 || !Array.isArray(guidance)) {
      throw new Error('it is no file of `memtree freeze`, or one of a later version; write it anew');
    }
    for (const e of guidance as Entry[]) {
      if (typeof e?.prompt !== 'string' || typeof e.text !== 'string') {
        throw new Error('an entry has no prompt or no text; write it anew with `memtree freeze`');
      }
      this.entries.set(e.prompt, [...(this.entries.get(e.prompt) ?? []), e]);
    }
  }

  static read(path: string): Frozen {
    try {
      return new Frozen(JSON.parse(readFileSync(path, 'utf8')));
    } catch (cause) {
      throw new Error(`${path}: ${(cause as Error).message}`, { cause });
    }
  }

  /** The number of entries. */
  get size(): number {
    return [...this.entries.values()].reduce((sum, es) => sum + es.length, 0);
  }

  /**
   * Returns the text for a prompt, empty for none. An entry that names a page or a test matches only that
   * one.
   */
  find(prompt: string, route: string | undefined, test: string | undefined): string {
    let best: Entry | undefined;
    let named = -1;
    for (const e of this.entries.get(prompt) ?? []) {
      const fits = (!e.scene?.route || e.scene.route === route) && (!e.scope?.test || e.scope.test === test);
      const names = (e.scene?.route ? 1 : 0) + (e.scope?.test ? 1 : 0);
      if (fits && names > named) {
        best = e;
        named = names;
      }
    }
    return best?.text ?? '';
  }
}
