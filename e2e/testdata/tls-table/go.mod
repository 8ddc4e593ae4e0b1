module example.test/tls-table

go 1.25.0
