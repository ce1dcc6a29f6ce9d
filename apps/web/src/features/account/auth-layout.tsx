import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { formatCountOf } from '../../ui/count.ts'
import { Mark, Wordmark } from '../../ui/identity/logo.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Time } from '../../ui/time.tsx'
import { useDismissToastsOnNavigation } from '../../ui/use-dismiss-toasts-on-navigation.ts'

/**
 * Layout with two columns: the seal of the log with a slogan, and the form. On phones it shows only
 * a header and the form.
 */
export function AuthLayout({ children }: { children: ReactNode }) {
  useDismissToastsOnNavigation('sign-in')
  return (
    <div className="grid min-h-dvh md:grid-cols-[4fr_5fr] phone:grid-rows-[auto_1fr]">
      <SealSide />
      <div className="flex min-w-0 flex-col">
        <header className="flex h-18 items-center justify-end px-9 max-lg:px-6 phone:justify-between phone:border-b phone:border-line-1 phone:bg-ink-1 phone:px-4">
          <Link to={paths.home} className="touch-target hidden items-center gap-3 text-lead font-semibold phone:flex">
            <Mark size={24} />
            Tocsin
          </Link>
          <Link
            to={paths.home}
            className="touch-target flex items-center gap-2 text-base font-medium text-2 transition-[color] hover:text-1"
          >
            <ArrowLeft aria-hidden size={16} strokeWidth={2.25} />
            Back to home
          </Link>
        </header>
        <main className="flex flex-1 flex-col justify-center px-6 pt-6 pb-24 phone:justify-start phone:px-4 phone:pb-12">
          <div className="mx-auto w-full max-w-100 phone:max-w-none">{children}</div>
        </main>
      </div>
    </div>
  )
}

function SealSide() {
  const { data: head } = useQuery(queries.logHead)
  return (
    <aside
      aria-label="About Tocsin"
      className="sticky top-0 flex h-dvh flex-col overflow-hidden border-r border-line-1 bg-ink-1 phone:hidden"
    >
      <Link to={paths.home} className="touch-target z-1 m-10 mt-7 flex items-center gap-4 self-start max-lg:mx-6">
        <Mark size={28} />
        <Wordmark />
      </Link>
      <div aria-hidden className="absolute inset-x-0 top-8 bottom-32 grid place-items-center">
        {head && (
          <Seal
            leafHash={head.root}
            root={head.root}
            state="anchored"
            size={640}
            decorative
            className="h-auto max-w-full"
          />
        )}
      </div>
      <div className="z-1 mt-auto min-h-31 border-t border-line-1 bg-ink-1 px-10 py-7 max-lg:px-6">
        <p className="text-h1">Every alert is signed, logged and anchored.</p>
        <p className="mt-1 min-h-6 text-lead max-lg:min-h-12 text-2">
          {head && <>{`${formatCountOf(head.size, 'entry', 'entries')} in the log. `}</>}
          {head?.anchored && (
            <>
              Newest anchor: <Time at={head.anchored.at} show="relative" />.
            </>
          )}
        </p>
      </div>
    </aside>
  )
}
