ALTER TABLE "instance_samples" ADD COLUMN "feed_age" double precision;--> statement-breakpoint
ALTER TABLE "instance_samples" ADD COLUMN "engine_age" double precision;