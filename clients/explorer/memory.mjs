// What an exploration asks of a memtree service: a run to go on with, updates of it, and walks for the map.

/** An error of the service, with its sentence. */
export class ServiceError extends Error {
  constructor(status, detail) {
    super(`memtree answered ${status}: ${detail}`);
    this.status = status;
  }
}

/** Connects an exploration to a tree of a service. */
export function memory({ url, tree = 'default', token, product, run, by = 'explorer' }) {
  const at = `${url.replace(/\/$/, '')}/v1/trees/${encodeURIComponent(tree)}`;

  async function ask(method, path, body) {
    const headers = { 'Content-Type': 'application/json' };
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(at + path, {
      method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    const read = text ? JSON.parse(text) : {};
    if (!answer.ok) throw new ServiceError(answer.status, read.detail ?? text);
    return read;
  }

  const id = encodeURIComponent(run);
  return {
    /** Returns the run if it is under way, and begins it if it is not there. */
    async begin(goal) {
      const under = async () => (await ask('GET', `/runs/${id}/resume?by=${encodeURIComponent(by)}`)).run;
      try {
        return await under();
      } catch (e) {
        if (e.status !== 404) throw e;
      }
      try {
        return await ask('POST', '/runs', { id: run, goal, product, by });
      } catch (e) {
        if (e.status !== 422) throw e;
        return under().catch(() => { throw e; }); // another explorer began it meanwhile
      }
    },
    /** Saves updates, all or none. */
    update: (updates) => ask('POST', `/runs/${id}`, { by, updates }),
    /** Puts what was seen into the map. */
    walk: (part, seen) => ask('POST', '/map', { source: 'explorer', product, run, part, seen }),
    /** Returns what is left for this explorer, and what others do. */
    resume: () => ask('GET', `/runs/${id}/resume?by=${encodeURIComponent(by)}`),
    run: () => ask('GET', `/runs/${id}`),
  };
}
