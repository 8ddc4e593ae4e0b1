module example.test/library-program

go 1.25.0

require svc.internal/secrets v0.0.0

require golang.org/x/sys v0.47.0

replace svc.internal/secrets => ../../../go
