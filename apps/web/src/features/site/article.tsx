import type { ReactNode } from 'react'

export interface Chapter {
  /** Element id, for links. */
  id: string
  title: string
  body: ReactNode
}

/** A text in chapters, with a table of contents beside it on wide screens. */
export function Article({ chapters }: { chapters: readonly Chapter[] }) {
  return (
    <div className="mt-12 grid gap-x-16 border-t border-line-1 pt-10 lg:grid-cols-[208px_minmax(0,1fr)] phone:mt-8 phone:pt-8">
      <nav aria-label="On this page" className="max-lg:hidden">
        <ol className="sticky top-8 flex flex-col gap-1">
          {chapters.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`} className="block py-1 text-base text-2 transition-[color] hover:text-1">
                {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="flex min-w-0 max-w-170 flex-col gap-12 phone:gap-10">
        {chapters.map(({ id, title, body }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`} className="text-h2">
              {title}
            </h2>
            <div className="prose mt-3">{body}</div>
          </section>
        ))}
      </div>
    </div>
  )
}
