import { type ReactNode, useId } from 'react'

interface UserSectionProps {
  title: string
  /** Shown at the right end of the title. */
  right?: ReactNode
  children: ReactNode
}

/** A section of the account details. */
export function UserSection({ title, right, children }: UserSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-1.5 flex min-h-7 items-center justify-between gap-3">
        <h3 id={id} className="text-label">
          {title}
        </h3>
        {right}
      </div>
      {children}
    </section>
  )
}
