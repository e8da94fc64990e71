/** Returns a new id. It is unique, not secret. */
export function newId(prefix: string): string {
  const crypto = globalThis.crypto as { randomUUID?: () => string } | undefined;
  const digits = () => Math.random().toString(36).slice(2);
  const random = crypto?.randomUUID?.() ?? digits() + digits();
  return `${prefix}_${Date.now().toString(36)}_${random}`;
}
