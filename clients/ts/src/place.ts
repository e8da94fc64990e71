/** Where guidance goes: after the prompt, before it, or beside it in `context`. */
export type Placement = 'append' | 'prepend' | 'separate';

/**
 * Puts guidance beside a prompt, a blank line between them. The prompt stays as it is. Without
 * guidance, and with `separate`, the prompt is returned alone.
 */
export function place(prompt: string, guidance: string, where: Placement = 'append'): string {
  if (guidance === '' || where === 'separate') {
    return prompt;
  }
  return where === 'prepend' ? `${guidance}\n\n${prompt}` : `${prompt}\n\n${guidance}`;
}

/** Joins the user's own background knowledge, as it is, with the guidance after it. */
export function join(own: string | undefined, guidance: string): string {
  return own ? place(own, guidance) : guidance;
}
