/** Hidden field that tells password managers which account a password form belongs to. */
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
