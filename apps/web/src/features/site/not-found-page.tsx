import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/identity/logo.tsx'

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      <div className="flex max-w-sm flex-col items-center text-center">
        <Mark size={96} />
        <p className="mt-8 text-label text-2">404</p>
        <h1 className="mt-2 text-h1">Page Not Found</h1>
        <p className="mt-2 text-body text-2">There is no page at this address.</p>
        <Button asChild variant="primary" size="lg" className="mt-6">
          <Link to={paths.home}>Go to the home page</Link>
        </Button>
      </div>
    </main>
  )
}
