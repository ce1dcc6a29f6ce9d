export function ownEnvironment(
  settings?: Record<string, string>,
  from?: Record<string, string | undefined>,
  folder?: string,
): Record<string, string>
