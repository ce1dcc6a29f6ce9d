/**
 * Tells a password manager whose password a form changes or asks for. For nobody else: not seen,
 * not read out, not in the order of keys.
 */
export function UsernameField({ value }: { value: string }) {
  return (
    <input
      type="text"
      name="username"
      autoComplete="username"
      value={value}
      readOnly
      hidden
      aria-hidden
      tabIndex={-1}
    />
  )
}
