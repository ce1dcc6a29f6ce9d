/** Joins the class names that apply. Later names do not override earlier ones: keep `className` props to layout. */
export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
