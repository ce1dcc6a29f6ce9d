import type { z } from 'zod'

/** Formats the first problem that a schema found, with the path of its field if there is one. */
export function formatIssue({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join('.')
  return `${path ? `${path}: ` : ''}${issue?.message ?? 'Invalid'}`
}
