module svc.internal/e2e/worker-go

go 1.26
